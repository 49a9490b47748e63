/**
 * Turns folds into dispatches: folds that read the same GPUBuffer and write the same GPUBuffer, with equally many terms
 * and targets and the same factors, share one dispatch. So do such folds that read up to six GPUBuffers and write
 * another one. A plain copy between two buffers becomes a transfer.
 */
import { at } from '../../base/invariant';
import type { Fold } from '../../program/fold-movements';
import type { BufferPlace } from '../../program/symbolic-memory';
import type { DeviceIndex } from '../../protocol/trace';
import { type BlockStretch, blockTable, blockTableOfVectors } from './block-table';
import { type DispatchSpec, packParams } from './dispatch';
import { wordAt } from './gpu-words';
import { inManyBuffers, MANY, type ManyBuffers } from './in-many-buffers';
import { PUT } from './join-code';
import type { Location, MemoryLayout } from './memory-layout';
import { planTransfers, type TransferMove } from './plan-transfer';

/** Floats of a vector, at multiples of which tensors start. */
const VECTOR = 4;

/** Packs numbers of four bits, the first lowest. */
const nibbles = (numbers: readonly number[]): number =>
  numbers.reduce((word, n, k) => (word | (n << (4 * k))) >>> 0, 0);

/** For fewer elements, another dispatch costs more than it saves. */
const LONG = 8192;

type Locate = (device: DeviceIndex, name: string) => Location;

export interface FoldOptions {
  /** Whole vectors and what is left of them in dispatches of their own: faster on software adapters. */
  readonly vectorsApart?: boolean;
}

/** The folds must be independent of each other. */
export function planFolds(
  folds: readonly Fold[],
  locate: Locate,
  layout: MemoryLayout,
  { vectorsApart = false }: FoldOptions = {},
): readonly DispatchSpec[] {
  const groups = new Map<string, { pair: Pair; fold: Fold; stretches: BlockStretch[] }>();
  const copies: TransferMove[] = [];
  for (const fold of folds) {
    const bufferOf = ({ device, buffer }: BufferPlace): number => locate(device, buffer).buffer;
    const pair: Pair = [bufferOf(at(fold.terms, 0)), bufferOf(at(fold.targets, 0))];
    if (pair[0] !== pair[1] && fold.terms.length === 1 && fold.scale === 1 && fold.after === 1) {
      copies.push(...copiesOf(fold, locate));
      continue;
    }
    const key = `${pair.join(' ')} ${kindOf(fold)}`;
    const group = groups.get(key) ?? { pair, fold, stretches: [] };
    groups.set(key, group);
    group.stretches.push(stretchOf(fold, locate));
  }
  return [
    ...planTransfers(copies, PUT, layout),
    ...inManyBuffers([...groups.values()], manyKey).flatMap((group) =>
      group.items.length > 1 ? [foldFromMany(group, layout)] : foldDispatches(at(group.items, 0), layout, vectorsApart),
    ),
  ];
}

type Pair = readonly [source: number, target: number];

/** Folds between the same pair of buffers that may share a dispatch. */
interface Alike {
  readonly pair: Pair;
  /** One of them. */
  readonly fold: Fold;
  readonly stretches: readonly BlockStretch[];
}

const kindOf = ({ terms, targets, scale, after, joins }: Fold): string =>
  `${terms.length} ${targets.length} ${scale} ${after} ${joins?.join('') ?? ''}`;

/** Groups with the same key differ only in the buffer that they read. */
const manyKey = ({ pair: [source, target], fold }: Alike): string | undefined =>
  source === target || fold.joins ? undefined : `${target} ${kindOf(fold)}`;

/** Terms first, then targets. */
const stretchOf = ({ terms, targets, length }: Fold, locate: Locate): BlockStretch => ({
  at: [...terms, ...targets].map((place) => ({ offset: wordAt(locate(place.device, place.buffer), place.offset) })),
  length,
});

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

/** 0: a kernel moves single elements. 1: whole vectors and single elements. 2: only whole vectors. */
type Vectors = 0 | 1 | 2;

function foldDispatches(group: Alike, layout: MemoryLayout, vectorsApart: boolean): readonly DispatchSpec[] {
  const { stretches, pair, fold } = group;
  const alike = stretches.every((s) => s.at.every(({ offset }) => (offset - at(s.at, 0).offset) % VECTOR === 0));
  const total = stretches.reduce((sum, { length }) => sum + length, 0);
  if (!alike || !vectorsApart || fold.joins || pair[0] !== pair[1] || total < LONG)
    return [foldDispatch(group, layout, alike ? 1 : 0)];
  const parts = stretches.map(partsOf);
  return ([2, 0] as const).flatMap((vectors) => {
    const own = parts.flatMap(({ whole, single }) => (vectors === 2 ? whole : single));
    return own.length === 0 ? [] : [foldDispatch({ ...group, stretches: own }, layout, vectors)];
  });
}

/** The whole vectors of a stretch, and the elements before and after them. */
function partsOf(stretch: BlockStretch): { whole: BlockStretch[]; single: BlockStretch[] } {
  const before = Math.min(stretch.length, -at(stretch.at, 0).offset & (VECTOR - 1));
  const end = before + Math.floor((stretch.length - before) / VECTOR) * VECTOR;
  const part = (from: number, to: number): BlockStretch[] =>
    from < to ? [{ at: stretch.at.map(({ offset }) => ({ offset: offset + from })), length: to - from }] : [];
  return { whole: part(before, end), single: [...part(0, before), ...part(end, stretch.length)] };
}

function foldDispatch({ pair, fold, stretches }: Alike, layout: MemoryLayout, vectors: Vectors): DispatchSpec {
  const [source, target] = pair;
  const { terms, targets, scale, after, joins } = fold;
  const { words, lanes, workgroups } = blockTable(stretches);
  const within = source === target;
  const tensors = within ? [layout.whole(source)] : [layout.whole(source), layout.whole(target)];
  const shared = { tensors, table: words, workgroups };
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
    constants: { TERMS: terms.length, TARGETS: targets.length, VECTORS: vectors, LANES: lanes },
    params: packParams([{ f32: scale }, { f32: after }, 0], []),
  };
}

/** All groups write the same target. */
function foldFromMany({ items: groups, vectors }: ManyBuffers<Alike>, layout: MemoryLayout): DispatchSpec {
  const { pair, fold } = at(groups, 0);
  const { terms, targets, scale, after } = fold;
  const stretches = groups.flatMap((group, source) =>
    group.stretches.map(({ at: places, length }) => ({ at: [...places, { offset: source, fixed: true }], length })),
  );
  const { words, lanes, workgroups } = vectors === 1 ? blockTableOfVectors(stretches) : blockTable(stretches);
  const sources = groups.map((group) => layout.whole(group.pair[0]));
  // Bindings that are only read may overlap.
  const others = Array.from({ length: MANY - sources.length }, () => layout.whole(pair[0]));
  return {
    kernel: 'comm/fold-from-many',
    constants: {
      ...{ SOURCES: sources.length, TERMS: terms.length, TARGETS: targets.length },
      ...{ VECTORS: vectors, LANES: lanes },
    },
    tensors: [...sources, ...others, layout.whole(pair[1])],
    params: packParams([{ f32: scale }, { f32: after }, 0], []),
    table: words,
    workgroups,
  };
}
