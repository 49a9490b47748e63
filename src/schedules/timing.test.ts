/** Makespans, bubbles, gaps and live activations; every closed form gives what is counted. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCHEDULE_NAMES, type ScheduleName } from '../protocol/pipeline';
import { action } from './cell';
import { closedFormsOf } from './closed-form';
import { makeSchedule, stagesPerRankOf } from './schedule';
import { fromCsv } from './schedule-text';
import { isMade, schedulesOfAnySize } from './testing/any-schedule';
import { RECORDED } from './testing/recorded-orders';
import { type Costs, timingOf } from './timing';

const WHOLE: ReadonlySet<ScheduleName> = new Set(['GPipe', '1F1B', 'LoopedBFS', 'Interleaved1F1B'] as const);

const made = (name: ScheduleName) =>
  makeSchedule({ name, ranks: 4, stagesPerRank: stagesPerRankOf(name, 2), microBatches: 8 });

test.each([
  ['GPipe', 33, 27.27, [8, 8, 8, 8]],
  ['1F1B', 33, 27.27, [4, 3, 2, 1]],
  ['LoopedBFS', 57, 15.79, [16, 16, 16, 16]],
  ['Interleaved1F1B', 57, 15.79, [11, 9, 7, 5]],
  ['InterleavedZeroBubble', 51, 5.88, [8, 8, 8, 8]],
  ['ZBVZeroBubble', 51, 5.88, [8, 8, 8, 8]],
  ['DualPipeV', 51, 5.88, [9, 9, 9, 9]],
] as const)('%s on 4 ranks with 8 micro-batches takes %d units', (name, makespan, percent, peakLive) => {
  const timing = timingOf(made(name));
  expect(timing.makespan).toBe(makespan);
  expect(100 * timing.bubble).toBeCloseTo(percent, 2);
  expect(timing.peakLive).toEqual(peakLive);
});

test('DualPipeV takes 54 units where a pair starts only when both its inputs are there', () => {
  const timing = timingOf(made('DualPipeV'), { pairs: 'together' });
  expect(timing.makespan).toBe(54);
  expect(100 * timing.bubble).toBeCloseTo(11.11, 2);
  const [first, second] = timing.cells.filter(({ paired }) => paired);
  expect(first?.end).toBe(second?.start);
  expect([first?.action.kind, second?.action.kind]).toEqual(['F', 'B']);
});

test.each(RECORDED)('peak of live activations: $title', ({ size, peakLive }) => {
  expect(timingOf(makeSchedule(size)).peakLive).toEqual(peakLive);
  expect(closedFormsOf(size).peakLive.values).toEqual(peakLive);
});

test('a gap says what ends it and what comes next', () => {
  const { gaps, cells } = timingOf(fromCsv('0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1'));
  expect(gaps).toEqual([
    { rank: 0, start: 2, end: 4, waitsFor: action(1, 'B', 0), next: action(0, 'B', 0) },
    { rank: 0, start: 6, end: 7, waitsFor: action(1, 'B', 1), next: action(0, 'B', 1) },
    { rank: 1, start: 0, end: 1, waitsFor: action(0, 'F', 0), next: action(1, 'F', 0) },
    { rank: 1, start: 7, end: 9, waitsFor: undefined, next: undefined },
  ]);
  expect(cells.filter(({ rank }) => rank === 1).map(({ start, end }) => [start, end])).toEqual([
    [1, 2],
    [2, 4],
    [4, 5],
    [5, 7],
  ]);
});

test('live activations as time goes on', () => {
  expect(timingOf(fromCsv('0F0,0F1,0I0,0B1,0W0')).live).toEqual([
    [
      { time: 1, live: 1 },
      { time: 2, live: 2 },
      { time: 5, live: 1 },
      { time: 6, live: 0 },
    ],
  ]);
});

test('stages may cost differently', () => {
  const slow = (stage: number): Costs => ({ F: stage + 1, B: 2, I: 1, W: 1 });
  expect(timingOf(fromCsv('0F0,0B0\n1F0,1B0'), { costs: slow }).makespan).toBe(1 + 2 + 2 + 2);
});

test('a schedule that cannot run has no time', () => {
  expect(() => timingOf(fromCsv('0F0,0B0\n1F0'))).toThrow('rank 1 never runs 1B0');
});

describe('properties', () => {
  const cost = fc.integer({ min: 1, max: 4 });
  const anyCosts = fc.record({ F: cost, B: cost, I: cost, W: cost });
  const whole = schedulesOfAnySize.filter(({ name }) => WHOLE.has(name));
  const zeroBubble = schedulesOfAnySize.filter(({ name }) => name === 'InterleavedZeroBubble');

  test('computing and waiting fill every rank from the start to the end of the step', () =>
    fc.assert(
      fc.property(schedulesOfAnySize, anyCosts, (size, costs) => {
        const schedule = makeSchedule(size);
        const timing = timingOf(schedule, { costs });
        for (let rank = 0; rank < schedule.ranks; rank++) {
          const spans = [...timing.cells, ...timing.gaps].filter((span) => span.rank === rank);
          const inTime = spans.toSorted((a, b) => a.start - b.start || a.end - b.end);
          expect(inTime.map(({ start }) => start)).toEqual([0, ...inTime.map(({ end }) => end)].slice(0, -1));
          expect(inTime.at(-1)?.end).toBe(timing.makespan);
        }
        const idle = timing.gaps.reduce((sum, { start, end }) => sum + end - start, 0);
        expect(timing.bubble).toBeCloseTo(idle / (schedule.ranks * timing.makespan), 12);
      }),
    ));

  test('formulas of schedules with whole backwards hold for any costs', () =>
    fc.assert(
      fc.property(whole, anyCosts, (size, costs) => {
        const forms = closedFormsOf(size, { costs });
        const timing = timingOf(makeSchedule(size), { costs });
        expect(forms.makespan?.value).toBe(timing.makespan);
        expect(forms.bubble?.value).toBeCloseTo(timing.bubble, 12);
      }),
    ));

  test('those of interleaved zero bubble, too, from as many micro-batches as ranks on', () =>
    fc.assert(
      fc.property(zeroBubble, anyCosts, (size, costs) => {
        const { makespan } = closedFormsOf(size, { costs });
        expect(makespan === undefined).toBe(size.microBatches < size.ranks);
        if (makespan) expect(makespan.value).toBe(timingOf(makeSchedule(size), { costs }).makespan);
      }),
    ));

  test.each(SCHEDULE_NAMES)('%s: every formula on a grid of sizes', (name) => {
    let checked = 0;
    for (let ranks = 1; ranks <= 6; ranks++) {
      for (const stagesPerRank of new Set([1, 2, 3].map((wanted) => stagesPerRankOf(name, wanted)))) {
        for (let microBatches = 1; microBatches <= 14; microBatches++) {
          const size = { name, ranks, stagesPerRank, microBatches };
          if (!isMade(size)) continue;
          checked++;
          for (const pairs of ['oneAfterTheOther', 'together'] as const) {
            const timing = timingOf(makeSchedule(size), { pairs });
            const forms = closedFormsOf(size, { pairs });
            expect([size, forms.peakLive.values]).toEqual([size, timing.peakLive]);
            if (name === 'InterleavedZeroBubble' && microBatches < ranks) {
              expect(forms).toMatchObject({ makespan: undefined, bubble: undefined });
            } else {
              expect([size, forms.makespan?.value]).toEqual([size, timing.makespan]);
              expect(forms.bubble?.value).toBeCloseTo(timing.bubble, 12);
            }
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(40);
  });
});
