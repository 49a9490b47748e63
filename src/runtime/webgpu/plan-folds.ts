/**
 * Turns folds into dispatches: folds that read the same GPUBuffer and write the same GPUBuffer, with equally many terms
 * and targets and the same factors, share one dispatch. A plain copy between two buffers becomes a transfer.
 */
import { at } from '../../base/invariant';
import type { Fold } from '../../program/fold-movements';
import type { DeviceIndex } from '../../protocol/trace';
import { type BlockStretch, blockTable } from './block-table';
import { type DispatchSpec, packParams } from './dispatch';
import { wordAt } from './gpu-words';
import { PUT } from './join-code';
import type { Location, MemoryLayout } from './memory-layout';
import { planTransfers, type TransferMove } from './plan-transfer';

/** Floats of a vector, at multiples of which tensors start. */
const VECTOR = 4;

/** Packs numbers of four bits, the first lowest. */
const nibbles = (numbers: readonly number[]): number =>
  numbers.reduce((word, n, k) => (word | (n << (4 * k))) >>> 0, 0);

type Locate = (device: DeviceIndex, name: string) => Location;

/** The folds must be independent of each other. */
export function planFolds(folds: readonly Fold[], locate: Locate, layout: MemoryLayout): readonly DispatchSpec[] {
  const groups = new Map<string, { pair: Pair; folds: Fold[] }>();
  const copies: TransferMove[] = [];
  for (const fold of folds) {
    const pair = [at(fold.terms, 0), at(fold.targets, 0)].map((p) => locate(p.device, p.buffer).buffer) as Pair;
    if (pair[0] !== pair[1] && fold.terms.length === 1 && fold.scale === 1 && fold.after === 1) {
      copies.push(...copiesOf(fold, locate));
      continue;
    }
    const { terms, targets, scale, after, joins } = fold;
    const key = `${pair.join(' ')} ${terms.length} ${targets.length} ${scale} ${after} ${joins?.join('') ?? ''}`;
    const group = groups.get(key) ?? { pair, folds: [] };
    groups.set(key, group);
    group.folds.push(fold);
  }
  return [
    ...planTransfers(copies, PUT, layout),
    ...[...groups.values()].map(({ pair, folds: alike }) => foldDispatch(alike, pair, locate, layout)),
  ];
}

type Pair = [source: number, target: number];

function copiesOf({ length, terms, targets }: Fold, locate: Locate): readonly TransferMove[] {
  const term = at(terms, 0);
  const source = locate(term.device, term.buffer);
  return targets.map((place) => {
    const target = locate(place.device, place.buffer);
    return {
      ...{ source: source.buffer, from: wordAt(source, term.offset) },
      ...{ target: target.buffer, to: wordAt(target, place.offset), length },
    };
  });
}

function foldDispatch(
  group: readonly Fold[],
  [source, target]: Pair,
  locate: Locate,
  layout: MemoryLayout,
): DispatchSpec {
  const { terms, targets, scale, after, joins } = at(group, 0);
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
  const whole = (buffer: number) => ({ buffer, offset: 0, size: at(layout.buffers, buffer).bytes });
  const within = source === target;
  const shared = { tensors: within ? [whole(source)] : [whole(source), whole(target)], table: words, workgroups };
  if (joins)
    return {
      ...shared,
      kernel: 'comm/fold-tree',
      constants: { TERMS: terms.length, TARGETS: targets.length, LANES: lanes },
      params: packParams([{ f32: scale }, 0, nibbles(joins.slice(0, 8)), nibbles(joins.slice(8))], []),
    };
  return {
    ...shared,
    kernel: within ? 'comm/fold' : 'comm/fold-between',
    constants: { TERMS: terms.length, TARGETS: targets.length, VECTORS: alike ? 1 : 0, LANES: lanes },
    params: packParams([{ f32: scale }, { f32: after }, 0], []),
  };
}
