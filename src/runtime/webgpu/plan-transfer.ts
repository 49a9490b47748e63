/**
 * Turns moves between slices into dispatches of comm/transfer and comm/transfer-within: all moves of one step between
 * the same pair of buffers share a dispatch. The moves of a call must be independent of each other. Long moves with
 * equally aligned sides use the kernels that move vectors of four.
 */
import { at } from '../../base/invariant';
import type { KernelId } from '../../graph/kernel-table';
import { type BlockStretch, blockTable } from './block-table';
import type { BoundRange, DispatchSpec } from './dispatch';
import type { JoinCode } from './join-code';
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
  return [...pairs.values()].map((list) => transferDispatch(list, join, layout));
}

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
  const stretches = list.map(
    ({ from, to, length }): BlockStretch =>
      within ? { at: [{ offset: to }], length, extra: from } : { at: [{ offset: from }, { offset: to }], length },
  );
  const whole = (buffer: number): BoundRange => ({ buffer, offset: 0, size: at(layout.buffers, buffer).bytes });
  const { words, lanes, workgroups } = blockTable(stretches);
  return {
    kernel: kernelOf(list, within),
    constants: { JOIN: join, LANES: lanes },
    tensors: within ? [whole(target)] : [whole(source), whole(target)],
    params: new Uint32Array(0),
    table: words,
    workgroups,
  };
}
