/**
 * All-reduces within one GPUBuffer to dispatches of comm/fold: folds with equally many terms and targets and one factor
 * share a dispatch.
 */
import { at } from '../../base/invariant';
import type { Fold } from '../../program/fold-movements';
import type { DeviceIndex } from '../../protocol/trace';
import { type BlockStretch, blockTable } from './block-table';
import { type DispatchSpec, packParams } from './dispatch';
import type { Location, MemoryLayout } from './memory-layout';
import { wordAt } from './words';

/** Floats of a vector, at multiples of which tensors start. */
const VECTOR = 4;

/** Four bits each, the first lowest. */
const nibbles = (numbers: readonly number[]): number =>
  numbers.reduce((word, n, k) => (word | (n << (4 * k))) >>> 0, 0);

/** The folds are independent of each other, and all their places lie in one GPUBuffer. */
export function planFolds(
  folds: readonly Fold[],
  locate: (device: DeviceIndex, name: string) => Location,
  layout: MemoryLayout,
): readonly DispatchSpec[] {
  const groups = new Map<string, Fold[]>();
  for (const fold of folds) {
    const key = `${fold.terms.length} ${fold.targets.length} ${fold.scale} ${fold.joins?.join('') ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), fold]);
  }
  return [...groups.values()].map((group) => {
    const { terms, targets, scale, joins } = at(group, 0);
    const first = at(terms, 0);
    const { buffer } = locate(first.device, first.buffer);
    const stretches = group.map(
      (fold): BlockStretch => ({
        at: [...fold.terms, ...fold.targets].map((place) => ({
          offset: wordAt(locate(place.device, place.buffer), place.offset),
        })),
        length: fold.length,
      }),
    );
    const alike = stretches.every((s) => s.at.every(({ offset }) => (offset - at(s.at, 0).offset) % VECTOR === 0));
    const { words, lanes, workgroups } = blockTable(stretches);
    const shared = {
      tensors: [{ buffer, offset: 0, size: at(layout.buffers, buffer).bytes }],
      table: words,
      workgroups,
    };
    if (joins)
      return {
        ...shared,
        kernel: 'comm/fold-tree',
        constants: { TERMS: terms.length, TARGETS: targets.length, LANES: lanes },
        params: packParams([{ f32: scale }, 0, nibbles(joins.slice(0, 8)), nibbles(joins.slice(8))], []),
      };
    return {
      ...shared,
      kernel: 'comm/fold',
      constants: { TERMS: terms.length, TARGETS: targets.length, VECTORS: alike ? 1 : 0, LANES: lanes },
      params: packParams([{ f32: scale }, 0], []),
    };
  });
}
