/** The input of an operator's picture: one instruction with its tensors at the cursor. Pure. */
import type { LayerConfig } from '../../../protocol/config';
import type { TraceEvent } from '../../../protocol/trace';
import { bufferWords } from '../../../trace/buffer-words';
import type { Content } from '../../../trace/contents';
import type { Rect } from '../../draw/geometry';
import { bucketContents } from '../bucket-places';
import type { RoomInput } from '../room-input';
import type { DrawnOperand } from './drawn';
import type { Operation } from './operator-picture';

/** The sizes from which a picture has all its words and numbers, or only captions. */
const FULL = { width: 250, height: 150 };
const SOME = { width: 110, height: 64 };

export const detailOf = ({ width, height }: Rect): Operation['detail'] =>
  width >= FULL.width && height >= FULL.height
    ? 'full'
    : width >= SOME.width && height >= SOME.height
      ? 'some'
      : 'least';

/** The layer to which a module path belongs: layer '3', a layer within a residual layer, a transformer block. */
export function layerAt(layers: readonly LayerConfig[], module: string, prefix = ''): LayerConfig | undefined {
  for (const [i, layer] of layers.entries()) {
    const path = prefix + (layer.name ?? String(i));
    if (path === '' || (module !== path && !module.startsWith(`${path}.`))) continue;
    if (layer.type !== 'Residual') return layer;
    const inside =
      layerAt(layer.layers, module, `${path}.layers.`) ?? layerAt(layer.shortcut ?? [], module, `${path}.shortcut.`);
    return inside ?? layer;
  }
  return undefined;
}

export interface OperationAndReads {
  readonly operation: Operation;
  /** The buffers read so far, with their content: the drawing is valid as long as all contents stay the same. */
  readonly read: readonly (readonly [string, Content | undefined])[];
}

export function operationOf(
  { info, place, facts }: RoomInput,
  { event: index, area }: { readonly event: number; readonly area: Rect },
): OperationAndReads | undefined {
  const { step } = facts;
  const event = step?.trace.events[index];
  if (!step || !event) return undefined;
  const { device } = place;
  const read: (readonly [string, Content | undefined])[] = [];
  const shapeOf = step.shapesOf(device);
  const operand = (buffer: string, made = false): DrawnOperand | undefined => {
    const known = shapeOf(buffer);
    if (!known) return undefined;
    const content = facts.content(device, buffer);
    read.push([buffer, content]);
    const { category } = known;
    const lasts = (category === 'parameter' || category === 'buffer') && place.keeps;
    const there = made ? (content?.event ?? -1) >= index : content?.event !== undefined || lasts;
    return {
      buffer,
      name: bufferWords(buffer),
      shape: known.shape.length === 0 ? [1] : known.shape,
      category,
      values: there ? content?.values : undefined,
      event: there ? content?.event : undefined,
      end: step.scales.end(step.scales.kindOf(buffer)) ?? 1,
      made,
      ...(known.cut ? { cut: known.cut } : {}),
    };
  };
  const own = (e: TraceEvent): boolean => e.device === device;
  const all = (buffers: readonly string[], made: boolean) => buffers.flatMap((b) => operand(b, made) ?? []);
  const { events } = step.trace;
  return {
    read,
    operation: {
      event,
      index,
      info,
      area,
      detail: detailOf(area),
      reads: all(event.reads, false),
      writes: all(event.writes, true),
      operand: (buffer) => operand(buffer),
      before: (buffer) =>
        step.trace.initial.find((i) => i.device === device)?.captured.find((c) => c.buffer === buffer)?.values,
      bucket: event.bucket === undefined ? undefined : bucketContents(info, step.trace, event.bucket),
      layer: layerAt(info.config.model.layers, event.module),
      forward: (kernel) =>
        events.find((e) => own(e) && e.phase === 'forward' && e.module === event.module && e.name === kernel),
      together: (step.moments[step.momentOf(index)]?.events ?? []).flatMap((i) => {
        const e = events[i];
        return e && own(e) && i !== index ? [e] : [];
      }),
    },
  };
}
