/**
 * Expands views: buffers that are only a name for consecutive other buffers (a DDP bucket whose memory is its
 * gradients). Each transfer of a stretch of a view becomes transfers of the parts, on both sides alike, so the same
 * elements are combined in the same order. Called by the builder as it finishes.
 */
import { LockstepError } from '../base/errors';
import { at, must } from '../base/invariant';
import type { DeviceIndex, Slice } from '../protocol/trace';
import { elements } from '../tensor/shape';
import type { Instruction, Lane, Recv, Send } from './instruction';
import { accessedBuffers } from './instruction-access';

type Views = ReadonlyMap<string, readonly string[]>;
type Transfer = Send | Recv;

export function expandViews(
  lanes: readonly Lane[],
  views: ReadonlyMap<DeviceIndex, Views>,
  nextId: () => number,
): readonly Lane[] {
  /** Where the parts of a view begin, and its end; the same on every device that has the view. */
  const cuts = new Map<string, readonly number[]>();
  for (const lane of lanes) {
    const specs = new Map(lane.buffers.map((b) => [b.name, b]));
    for (const [name, parts] of views.get(lane.device) ?? []) {
      let end = 0;
      cuts.set(name, [0, ...parts.map((part) => (end += elements(must(specs.get(part), part).shape)))]);
    }
  }
  if (cuts.size === 0) return lanes;
  return lanes.map((lane) => {
    const own = views.get(lane.device);
    return {
      ...lane,
      buffers: lane.buffers.filter(({ name }) => !own?.has(name)),
      instructions: lane.instructions.flatMap((i) => expanded(i, own, cuts, nextId)),
    };
  });
}

function expanded(
  i: Instruction,
  own: Views | undefined,
  cuts: ReadonlyMap<string, readonly number[]>,
  nextId: () => number,
): readonly Instruction[] {
  const transfer = i.kind === 'send' || i.kind === 'recv';
  const starts = transfer ? cuts.get(i.slice.buffer) : undefined;
  if (transfer && starts) return inParts(i, own?.get(i.slice.buffer), starts, nextId);
  const view = accessedBuffers(i).find((name) => own?.has(name));
  if (view === undefined) return [i];
  throw new LockstepError(
    'config',
    `gradient_as_bucket_view: ${i.kind === 'compute' ? i.op : i.kind} needs ${view} as one contiguous buffer, but with gradientAsBucketView the gradients are stored in it.`,
    'Choose the algorithm ring or naive and the hook allreduce, or set ddp.gradientAsBucketView to false.',
  );
}

function inParts(
  i: Transfer,
  parts: readonly string[] | undefined,
  starts: readonly number[],
  nextId: () => number,
): readonly Instruction[] {
  const { slice, signals, ...rest } = i;
  const end = slice.offset + slice.length;
  const slices: Slice[] = [];
  for (let part = 0; part + 1 < starts.length; part++) {
    const [first, last] = [at(starts, part), at(starts, part + 1)];
    const from = Math.max(first, slice.offset);
    const length = Math.min(last, end) - from;
    if (length <= 0) continue;
    slices.push(parts ? { buffer: at(parts, part), offset: from - first, length } : { ...slice, offset: from, length });
  }
  return slices.map((own, k) => ({
    ...rest,
    id: k === 0 ? i.id : nextId(),
    slice: own,
    tag: `${i.tag}/${k}`,
    bytes: (i.bytes / slice.length) * own.length,
    flops: i.flops === 0 ? 0 : own.length,
    ...(signals !== undefined && k === slices.length - 1 ? { signals } : {}),
  }));
}
