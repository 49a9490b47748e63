/** The numbers of a report are those of the schedule's clock, beside the formulas that it is held to. */
import { expect, test } from 'vitest';
import { SCHEDULE_NAMES } from '../protocol/pipeline';
import { figuresOf } from './figures';
import { makeSchedule, stagesPerRankOf } from './schedule';
import { fromCsv } from './schedule-text';

test.each(SCHEDULE_NAMES)('%s: what is counted is what the formula says', (name) => {
  const schedule = makeSchedule({ name, ranks: 4, stagesPerRank: stagesPerRankOf(name, 2), microBatches: 8 });
  const { bubble, makespan, peakActivations } = figuresOf(schedule);
  expect(bubble.byFormula?.value).toBeCloseTo(bubble.counted, 12);
  expect(makespan.byFormula?.value).toBe(makespan.counted);
  expect(peakActivations.byFormula?.values).toEqual(peakActivations.counted);
});

test('1F1B of four ranks and eight micro-batches', () => {
  const schedule = makeSchedule({ name: '1F1B', ranks: 4, stagesPerRank: 1, microBatches: 8 });
  expect(figuresOf(schedule)).toMatchObject({
    schedule: '1F1B',
    stages: 4,
    makespan: { counted: 33 },
    bubble: { counted: 1 - (4 * 24) / (4 * 33), byFormula: { formula: '(P - 1) / (M + P - 1)' } },
    peakActivations: { counted: [4, 3, 2, 1], byFormula: { formula: 'min(M, P - r)' } },
  });
});

test('a schedule of one’s own has no formula', () => {
  const own = fromCsv('0F1,0F0,0B1,0B0\n1F1,1F0,1B1,1B0\n');
  const figures = figuresOf(own);
  expect(figures).toMatchObject({ schedule: 'own', peakActivations: { counted: [2, 2] } });
  expect(figures.bubble).not.toHaveProperty('byFormula');
});
