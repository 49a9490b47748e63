/**
 * Interleaved 1F1B and interleaved zero bubble (ZB1P): a rank has several stages and goes through them in rounds of
 * about P micro-batches. After a warm-up it alternates forward and backward passes. Zero bubble splits the backward
 * pass: I at once, because another rank waits for it, and W `rank` I's later, which fills the end of the step. Source:
 * _get_1f1b_rank_ops, Narayanan et al. 2021 and Qi et al. 2023.
 */
import type { Computation } from '../../protocol/pipeline';
import { action, type ScheduleCell } from '../cell';
import { count, type OrderMaker, type ScheduleShape } from './order-maker';

/** How often a rank goes through its stages; torch requires the number of micro-batches to be a multiple of it. */
export const roundsOf = ({ ranks, microBatches }: ScheduleShape): number =>
  Math.max(1, Math.floor(microBatches / ranks));

/** Forward passes of a rank before its first backward pass, without the one right before it. */
export function warmUpOf(shape: ScheduleShape, rank: number, perRankAfter: 1 | 2): number {
  const { ranks, stagesPerRank, microBatches } = shape;
  const perRound = microBatches / roundsOf(shape);
  return Math.min((stagesPerRank - 1) * perRound + perRankAfter * (ranks - 1 - rank), microBatches * stagesPerRank);
}

export const interleaved1F1B: OrderMaker = (shape, rank) => {
  const { forwards, backwards } = inRounds(shape, rank, 'B');
  const warmUp = warmUpOf(shape, rank, 2);
  return [...forwards.slice(0, warmUp), ...inTurn(forwards.slice(warmUp), backwards)];
};

export const interleavedZeroBubble: OrderMaker = (shape, rank) => {
  const { forwards, backwards: inputs } = inRounds(shape, rank, 'I');
  const { backwards: weights } = inRounds(shape, rank, 'W');
  const warmUp = warmUpOf(shape, rank, 1);
  // Step k has an I and, from step `rank` on, a W; the steps after the last I have the remaining W's.
  const backwards = count(inputs.length + rank).map((k) => [
    ...inputs.slice(k, k + 1),
    ...(k < rank ? [] : weights.slice(k - rank, k - rank + 1)),
  ]);
  return [...forwards.slice(0, warmUp), ...inTurn(forwards.slice(warmUp), backwards)].flat();
};

/** first[0], second[0], first[1], ...; the rest of the longer list is last. */
const inTurn = <A, B>(first: readonly A[], second: readonly B[]): readonly (A | B)[] =>
  count(Math.max(first.length, second.length)).flatMap((i) => [...first.slice(i, i + 1), ...second.slice(i, i + 1)]);

function inRounds(
  shape: ScheduleShape,
  rank: number,
  kind: Computation,
): { readonly forwards: readonly ScheduleCell[]; readonly backwards: readonly ScheduleCell[] } {
  const { ranks, stagesPerRank, microBatches } = shape;
  const rounds = roundsOf(shape);
  const perRound = microBatches / rounds;
  const locals = count(stagesPerRank);
  const of = (kind: Computation, order: readonly number[]): readonly ScheduleCell[] =>
    count(rounds).flatMap((round) =>
      order.flatMap((local) => count(perRound).map((i) => action(local * ranks + rank, kind, round * perRound + i))),
    );
  return { forwards: of('F', locals), backwards: of(kind, locals.toReversed()) };
}
