/**
 * The stage's colour scales: one for each kind of value, the same for all ranks and for the whole step. Nearly all
 * values captured in the step are below the scale's end. Computed once per trace; pure.
 */
import type { SessionInfo } from '../../protocol/session-info';
import type { Captured, StepTrace } from '../../protocol/trace';
import { castOf } from '../../trace/buffer-words';
import { endOfScale } from '../draw/value-scale';
import type { Exchanges } from './exchanges';

/** 'delta': the gradient with respect to an activation; 'sum': the content of buckets. */
export type ValueKind = 'weight' | 'activation' | 'gradient' | 'delta' | 'sum';

export const VALUE_KINDS: readonly ValueKind[] = ['weight', 'activation', 'gradient', 'delta', 'sum'];

/** With more ranks, hues repeat and the legend does not list them. */
export const MOST_HUES = 16;

export interface ValueScales {
  kindOf(buffer: string): ValueKind;
  /** The end of the scale for this kind of value; undefined if the step has no such values. */
  end(kind: ValueKind): number | undefined;
}

/** Only these activations count: indices, statistics and kernels' notes are not values of a layer. */
const ACTIVATION = /(^|\.)(out|attention|middle)$|^(x|batch|output)$/;

/** The number of values sampled from each capture. */
const SAMPLE = 64;

function kindsOf(info: SessionInfo, carried: Exchanges['carried']): (buffer: string) => ValueKind {
  const categories = new Map(info.buffers.map((b) => [b.name, b.category]));
  const kind = (buffer: string): ValueKind => {
    const category = categories.get(castOf(buffer));
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
  // A norm's vectors begin at 1, and would make matrices pale.
  const vectors = new Set(info.parameters.flatMap(({ name, shape }) => (shape.length < 2 ? [name] : [])));
  const counts = (buffer: string, kind: ValueKind): boolean => {
    if (kind === 'weight')
      return buffer.endsWith('weight') ? !vectors.has(buffer) : carried.has(buffer) && !/running|num_/.test(buffer);
    return kind !== 'activation' || (ACTIVATION.test(buffer) && !(buffer === 'x' && info.dataset.kind === 'tokens'));
  };
  // Gradients before unscale_ are larger by the loss scale, and would make the others pale.
  const unscaled = trace?.events.findIndex(({ name }) => name === 'scaler/unscale') ?? -1;
  const look = ({ buffer, values }: Captured, event = unscaled) => {
    const kind = kindOf(buffer);
    if (/^scaler\.|\.halves$/.test(buffer) || !counts(buffer, kind)) return;
    if (kind === 'gradient' && event < unscaled) return;
    // A rank has written only its own part of a gathered buffer; the rest is old memory.
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
