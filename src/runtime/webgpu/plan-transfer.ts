/**
 * Turns moves between slices into dispatches of the kernels comm/transfer*: all moves of one step between the same pair
 * of buffers share a dispatch, and so do copies from one buffer to up to six others. The moves of a call must be
 * independent of each other. Long moves with equally aligned sides use the kernels that move vectors of four.
 */
import { at } from '../../base/invariant';
import type { KernelId } from '../../graph/kernel-table';
import { type BlockStretch, blockTable, blockTableOfVectors } from './block-table';
import type { DispatchSpec } from './dispatch';
import { inManyBuffers, MANY, type ManyBuffers } from './in-many-buffers';
import { type JoinCode, PUT } from './join-code';
import type { MemoryLayout } from './memory-layout';

/** Buffers by index, the rest in words from their start. */
export interface TransferMove {
  readonly source: number;
  readonly from: number;
  readonly target: number;
  readonly to: number;
  readonly length: number;
}

export function planTransfers(moves: readonly TransferMove[], join: JoinCode, layout: MemoryLayout): DispatchSpec[] {
  const pairs = new Map<string, TransferMove[]>();
  for (const move of moves) {
    if (move.length === 0) continue;
    const key = `${move.source} ${move.target}`;
    pairs.set(key, [...(pairs.get(key) ?? []), move]);
  }
  const copies = [...pairs.values()].map((list) => ({ list, stretches: list.map(stretchOf) }));
  const groups = inManyBuffers(copies, ({ list }) => {
    const { source, target } = at(list, 0);
    return source === target || join !== PUT ? undefined : `${source}`;
  });
  return groups.map((group) =>
    group.items.length > 1 ? copyToMany(group, layout) : transferDispatch(at(group.items, 0).list, join, layout),
  );
}

/** Copies between one pair of buffers. */
interface Copies {
  readonly list: readonly TransferMove[];
  readonly stretches: readonly BlockStretch[];
}

const stretchOf = ({ from, to, length }: TransferMove): BlockStretch => ({
  at: [{ offset: from }, { offset: to }],
  length,
});

/** For fewer words per dispatch, another pipeline is not worth building. */
const LONG = 32_768;

function kernelOf(list: readonly TransferMove[], within: boolean): KernelId {
  const long = list.reduce((sum, { length }) => sum + length, 0) >= LONG;
  if (long && list.every(({ from, to }) => from % 4 === to % 4))
    return within ? 'comm/transfer-within-vec4' : 'comm/transfer-vec4';
  return within ? 'comm/transfer-within' : 'comm/transfer';
}

function transferDispatch(list: readonly TransferMove[], join: JoinCode, layout: MemoryLayout): DispatchSpec {
  const { source, target } = at(list, 0);
  const within = source === target;
  const stretches = within
    ? list.map(({ from, to, length }) => ({ at: [{ offset: to }], length, extra: from }))
    : list.map(stretchOf);
  const { words, lanes, workgroups } = blockTable(stretches);
  return {
    kernel: kernelOf(list, within),
    constants: { JOIN: join, LANES: lanes },
    tensors: within ? [layout.whole(target)] : [layout.whole(source), layout.whole(target)],
    params: new Uint32Array(0),
    table: words,
    workgroups,
  };
}

/** All copies have one source. */
function copyToMany({ items, vectors }: ManyBuffers<Copies>, layout: MemoryLayout): DispatchSpec {
  const stretches = items.flatMap((copies, target) =>
    copies.stretches.map(({ at: places, length }) => ({ at: [...places, { offset: target, fixed: true }], length })),
  );
  const { words, lanes, workgroups } = vectors === 1 ? blockTableOfVectors(stretches) : blockTable(stretches);
  const targets = items.map(({ list }) => layout.whole(at(list, 0).target));
  return {
    kernel: 'comm/transfer-to-many',
    constants: { TARGETS: targets.length, VECTORS: vectors, LANES: lanes },
    tensors: [layout.whole(at(at(items, 0).list, 0).source), ...targets, ...layout.spares(MANY - targets.length)],
    params: new Uint32Array(0),
    table: words,
    workgroups,
  };
}
