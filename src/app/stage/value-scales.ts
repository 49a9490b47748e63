/**
 * The scales of the stage: one for each kind of value, with an end that nearly all of the values captured in the step
 * stay below, the same for all ranks and for the whole step. Found once per trace; pure.
 */
import type { SessionInfo } from '../../protocol/session-info';
import type { Captured, StepTrace } from '../../protocol/trace';
import { endOfScale } from '../draw/value-scale';
import type { Exchanges } from './exchanges';

/** 'delta': the gradient with respect to an activation; 'sum': what travels in buckets. */
export type ValueKind = 'weight' | 'activation' | 'gradient' | 'delta' | 'sum';

export const VALUE_KINDS: readonly ValueKind[] = ['weight', 'activation', 'gradient', 'delta', 'sum'];

/** Of more ranks the legend shows the first hues, which repeat, and the number of the last. */
export const MOST_HUES = 16;

export interface ValueScales {
  kindOf(buffer: string): ValueKind;
  /** Of the values of that kind in this step; undefined where it has none. */
  end(kind: ValueKind): number | undefined;
}

/** Of activations only these: indices, statistics and what kernels note for themselves are no values of a layer. */
const ACTIVATION = /(^|\.)(out|attention|middle)$|^(x|batch|output)$/;

/** So many values of each capture are looked at. */
const SAMPLE = 64;

function kindsOf(info: SessionInfo, carried: Exchanges['carried']): (buffer: string) => ValueKind {
  const categories = new Map(info.buffers.map((b) => [b.name, b.category]));
  const kind = (buffer: string): ValueKind => {
    const category = categories.get(buffer);
    if (category === 'parameter' || category === 'buffer') return 'weight';
    if (category === 'gradient' || category === 'optimizer') return 'gradient';
    const payload = carried.get(buffer);
    if (buffer.endsWith('.grad')) return 'delta';
    if (category === 'activation' || category === 'data') return 'activation';
    if (payload === 'gradient' || payload === undefined) return 'sum';
    return payload === 'parameter' ? 'weight' : 'activation';
  };
  const known = new Map<string, ValueKind>();
  return (buffer) => {
    const found = known.get(buffer) ?? kind(buffer);
    known.set(buffer, found);
    return found;
  };
}

export function scalesOf(info: SessionInfo, trace: StepTrace | undefined, carried: Exchanges['carried']): ValueScales {
  const kindOf = kindsOf(info, carried);
  const sizes = new Map<ValueKind, number[]>();
  // A norm's vectors begin at 1: matrices beside them would be pale.
  const vectors = new Set(info.parameters.flatMap(({ name, shape }) => (shape.length < 2 ? [name] : [])));
  const counts = (buffer: string, kind: ValueKind): boolean => {
    if (kind === 'weight')
      return buffer.endsWith('weight') ? !vectors.has(buffer) : carried.has(buffer) && !/running|num_/.test(buffer);
    return kind !== 'activation' || (ACTIVATION.test(buffer) && !(buffer === 'x' && info.dataset.kind === 'tokens'));
  };
  // Before they are unscaled, gradients are larger by the scale of the loss: beside them the others would be pale.
  const unscaled = trace?.events.findIndex(({ name }) => name === 'scaler/unscale') ?? -1;
  const look = ({ buffer, values }: Captured, event = unscaled) => {
    const kind = kindOf(buffer);
    if (/^scaler\.|\.halves$/.test(buffer) || !counts(buffer, kind)) return;
    if (kind === 'gradient' && event < unscaled) return;
    // A rank writes its own part of what is gathered; the rest is still what the memory held before.
    if (kind === 'weight' && carried.has(buffer) && trace?.events[event]?.kind === 'compute') return;
    const own = sizes.get(kind) ?? [];
    sizes.set(kind, own);
    const stride = Math.max(1, Math.floor(values.length / SAMPLE));
    for (let i = 0; i < values.length; i += stride) {
      const size = Math.abs(values[i] ?? 0);
      if (size > 0 && size < Number.POSITIVE_INFINITY) own.push(size);
    }
  };
  for (const { captured } of trace?.initial ?? []) for (const own of captured) look(own);
  for (const [event, { captured }] of (trace?.events ?? []).entries()) for (const own of captured) look(own, event);
  const ends = new Map([...sizes].map(([kind, own]) => [kind, endOfScale(Float32Array.from(own))]));
  return { kindOf, end: (kind) => ends.get(kind) };
}
