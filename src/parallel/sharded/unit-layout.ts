/**
 * The layout of a unit's parameters in its flat buffers. Each parameter is cut on dim 0 as torch.chunk cuts: ceil(n /
 * ranks) rows for a rank, fewer or none for the last ones. In the buffers every rank has room for ceil(n / ranks) rows
 * of each parameter, in registration order, so all messages of a unit are equally long; room without rows is padding.
 * Source: FSDPParam and foreach_all_gather of torch/distributed/fsdp/_fully_shard. Halves are stored two per word, so a
 * rank's part has an even number of halves: one more than in torch if that number is odd.
 */

import type { CopiedRun } from '../../collectives/copied-runs';
import { halfWords } from '../../graph/ops/precision/half-words';
import { chunkRange } from '../../sharding/range';
import type { HalfFormat } from '../../tensor/half-bits';
import { elements, type Shape } from '../../tensor/shape';

export interface UnitParameter {
  readonly name: string;
  /** Shape of the whole parameter. */
  readonly shape: Shape;
}

/** The place of a parameter in the buffers of its unit, in elements. */
interface Slot {
  /** Offset within the part of a rank; the same for all ranks. */
  readonly offset: number;
  /** Number of rows that fit into the slot. */
  readonly length: number;
  /** Elements of one row. */
  readonly row: number;
  /** Rows of the whole parameter. */
  readonly rows: number;
}

export interface UnitLayout {
  readonly parameters: readonly UnitParameter[];
  readonly ranks: number;
  /** Elements of a rank's part, with padding. */
  readonly perRank: number;
  /** Places of the flat buffer that a rank's part takes: one for each element, or for two halves. */
  readonly places: number;
  readonly slots: readonly Slot[];
}

/** `half`: the elements are halves; undefined: float32. */
export function unitLayout(
  parameters: readonly UnitParameter[],
  ranks: number,
  half: HalfFormat | undefined,
): UnitLayout {
  let perRank = 0;
  const slots = parameters.map(({ shape }): Slot => {
    const [rows = 1, ...rest] = shape;
    const row = elements(rest);
    const length = Math.ceil(rows / ranks) * row;
    perRank += length;
    return { offset: perRank - length, length, row, rows };
  });
  if (half === undefined) return { parameters, ranks, perRank, places: perRank, slots };
  const places = halfWords([perRank])[0] ?? 0;
  return { parameters, ranks, perRank: 2 * places, places, slots };
}

/** Elements that rank `index` has of each parameter: a run of the whole, empty where it has none. */
const heldBy = ({ slots, ranks }: UnitLayout, index: number) =>
  slots.map(({ rows, row }) => {
    const { start, length } = chunkRange(rows, index, ranks);
    return { start: start * row, length: length * row };
  });

/** Of the parameters that rank `index` has a row of. */
export const parametersOn = (layout: UnitLayout, index: number): readonly UnitParameter[] =>
  heldBy(layout, index).flatMap(({ length }, k) => (length > 0 ? layout.parameters.slice(k, k + 1) : []));

const reversed = ({ from, to, length }: CopiedRun): CopiedRun => ({ from: to, to: from, length });

/** From a rank's flat part into its shards, of the parameters that it has a row of. */
export const partToShards = (layout: UnitLayout, index: number): readonly CopiedRun[] =>
  heldBy(layout, index)
    .flatMap(({ length }, k) => layout.slots.slice(k, k + 1).map(({ offset }) => ({ offset, length })))
    .filter(({ length }) => length > 0)
    .map(({ offset, length }, operand) => ({ from: { operand: 0, offset }, to: { operand, offset: 0 }, length }));

/** From the shards of a rank to its place among the parts of all ranks. */
export const shardsToParts = (layout: UnitLayout, index: number): readonly CopiedRun[] =>
  partToShards(layout, index)
    .map(reversed)
    .map(({ to, ...run }) => ({ ...run, to: { ...to, offset: to.offset + index * layout.perRank } }));

/** From the flat part of one rank, which begins at `start`, into whole tensors. */
const partToWhole = (layout: UnitLayout, index: number, start: number): readonly CopiedRun[] =>
  heldBy(layout, index).flatMap(({ start: offset, length }, operand) => {
    const from = { operand: 0, offset: start + (layout.slots[operand]?.offset ?? 0) };
    return length === 0 ? [] : [{ from, to: { operand, offset }, length }];
  });

/** From the parts of all ranks, one behind the other, into whole tensors. */
export const partsToWhole = (layout: UnitLayout): readonly CopiedRun[] =>
  Array.from({ length: layout.ranks }, (_, index) => partToWhole(layout, index, index * layout.perRank)).flat();

/** From whole tensors into the flat part of one rank. */
export const wholeToPart = (layout: UnitLayout, index: number): readonly CopiedRun[] =>
  partToWhole(layout, index, 0).map(reversed);

/** From whole tensors into the parts of all ranks. */
export const wholeToParts = (layout: UnitLayout): readonly CopiedRun[] => partsToWhole(layout).map(reversed);

/** Whether the parts of these ranks have room that no row of their shards fills. */
export const isPadded = (layout: UnitLayout, ranks: readonly number[]): boolean =>
  ranks.some((index) => heldBy(layout, index).reduce((sum, { length }) => sum + length, 0) < layout.perRank);

/** The flat buffer of so many ranks' parts. */
export const flatBuffer = ({ perRank, places }: UnitLayout, parts: number, half: HalfFormat | undefined) =>
  ({
    shape: [parts * places],
    dtype: half ? 'i32' : 'f32',
    persistent: false,
    ...(half ? { halves: { format: half, shape: [parts * perRank] } } : {}),
  }) as const;
