/** Every schedule that torch runs, in its order; every size that torch refuses is refused. */
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { SCHEDULE_NAMES } from '../protocol/pipeline';
import { printCell } from './cell-text';
import { makeSchedule, stagesPerRankOf } from './schedule';
import { RECORDED, REFUSED } from './testing/recorded-orders';

test('every schedule is among the recorded ones', () => {
  expect(RECORDED.length).toBeGreaterThan(60);
  expect(new Set(RECORDED.map(({ size }) => size.name))).toEqual(new Set(SCHEDULE_NAMES));
});

test.each(RECORDED)("torch's order: $title", ({ size, compute, stageToRank }) => {
  const made = makeSchedule(size);
  expect(made.orders.map((order) => order.map(printCell).join(','))).toEqual(compute);
  expect(made.rankOfStage).toEqual(stageToRank);
  expect(made).toMatchObject({ name: size.name, stages: stageToRank.length, microBatches: size.microBatches });
});

test.each(REFUSED)('refused as torch does: $title', ({ size }) => {
  const refusal = refusalOf(() => makeSchedule(size));
  expect(refusal).toMatchObject({ code: 'schedule', details: { schedule: size.name, ranks: size.ranks } });
  expect(refusal?.hint).not.toBe('');
});

test('the refusals say the rule, the numbers and a way out', () => {
  const said = (name: (typeof SCHEDULE_NAMES)[number], stagesPerRank: number, microBatches: number) => {
    const refusal = refusalOf(() => makeSchedule({ name, ranks: 4, stagesPerRank, microBatches }));
    return [refusal?.message, refusal?.hint];
  };
  expect(said('1F1B', 1, 3)).toEqual([
    '1F1B needs at least as many micro-batches as stages, but there are 3 micro-batches and 4 stages',
    'Set at least 4 micro-batches, or choose GPipe, which runs any number.',
  ]);
  expect(said('DualPipeV', 2, 7)).toEqual([
    'DualPipeV needs at least as many micro-batches as stages, but there are 7 micro-batches and 8 stages',
    'Set at least 8 micro-batches, or choose ZBVZeroBubble, which runs any number.',
  ]);
  expect(said('Interleaved1F1B', 2, 9)).toEqual([
    'Interleaved1F1B needs a number of micro-batches that is a multiple of its rounds: 9 micro-batches on 4 ranks make 2 rounds',
    'Set 8 or 12 micro-batches: a multiple of the 4 ranks always fits.',
  ]);
  expect(said('ZBVZeroBubble', 1, 4)).toEqual([
    'ZBVZeroBubble takes exactly 2 stages per rank, the two arms of its V, not 1',
    'Set 2 stages per rank, or choose Interleaved1F1B or InterleavedZeroBubble.',
  ]);
  expect(said('GPipe', 2, 4)).toEqual([
    'GPipe takes exactly 1 stage per rank, not 2',
    'For several stages per rank, choose LoopedBFS, Interleaved1F1B or InterleavedZeroBubble.',
  ]);
  expect(said('GPipe', 1, 0)[0]).toBe('the number of micro-batches must be a whole number of at least 1, not 0');
  expect(said('GPipe', 1, 1.5)[0]).toBe('the number of micro-batches must be a whole number of at least 1, not 1.5');
  expect(said('LoopedBFS', 1000, 1000)[0]).toBe(
    '4000 stages and 1000 micro-batches are more than Lockstep can schedule',
  );
});

test('stages per rank are those that the schedule must have, or those wanted', () => {
  expect(SCHEDULE_NAMES.map((name) => stagesPerRankOf(name, 3))).toEqual([1, 1, 3, 3, 3, 2, 2]);
  expect(SCHEDULE_NAMES.map((name) => stagesPerRankOf(name, undefined))).toEqual([1, 1, 2, 2, 2, 2, 2]);
});

function refusalOf(call: () => unknown): LockstepError | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof LockstepError) return error;
    throw error;
  }
  return undefined;
}
