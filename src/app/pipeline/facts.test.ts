/**
 * The numbers beside the pipeline picture: the bubble by formula and by count, its curve, and the bytes that a stage
 * keeps.
 */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { makeSchedule, type ScheduleSize } from '../../schedules/schedule';
import { timingOf } from '../../schedules/timing';
import { openTestSession } from '../../session/testing/open-session';
import { bubbleFacts } from './bubble-facts';
import { draftOf, moved, scheduleOfDraft } from './draft';
import { keptBytes } from './kept-bytes';
import { knownSchedules } from './score';

const oneF: ScheduleSize = { name: '1F1B', ranks: 4, stagesPerRank: 1, microBatches: 8 };

test('the curve is the schedule’s bubble at each number of micro-batches that it takes', () => {
  const facts = bubbleFacts(makeSchedule(oneF));
  expect(facts).toMatchObject({ name: '1F1B', makespan: 33, formula: '(P - 1) / (M + P - 1)' });
  expect(facts.bubble).toBeCloseTo(3 / 11, 9);
  // 1F1B does not exist with fewer micro-batches than stages.
  expect(facts.curve.map(({ microBatches }) => microBatches)).toEqual([4, 8, 16, 32, 64]);
  for (const { microBatches, bubble } of facts.curve)
    expect(bubble).toBeCloseTo(timingOf(makeSchedule({ ...oneF, microBatches })).bubble, 9);
});

test('an own schedule has the facts of the known schedule that it equals, or only its own counts', () => {
  const draft = draftOf(makeSchedule(oneF));
  expect(bubbleFacts(scheduleOfDraft(draft)).name).toBe('1F1B');
  const other = bubbleFacts(scheduleOfDraft(moved(draft, { rank: 1, index: 0 }, 1)));
  expect(other).toMatchObject({ name: undefined, formula: undefined, curve: [], makespan: 35 });
});

test('the known schedules of a size are those that torch makes for this size', () => {
  const names = (size: ScheduleSize) => knownSchedules(makeSchedule(size)).map(({ name }) => name);
  expect(names(oneF)).toEqual(['GPipe', '1F1B', 'LoopedBFS', 'Interleaved1F1B', 'InterleavedZeroBubble']);
  expect(names({ ...oneF, name: 'ZBVZeroBubble', stagesPerRank: 2 })).toContain('DualPipeV');
});

test('a stage keeps the inputs of its layers for the backward', async () => {
  const net = [64, 64, 64, 64, 64];
  const session = await openTestSession({
    mode: 'pipeline',
    mesh: { pp: 2 },
    pipeline: { schedule: 'GPipe', microBatches: 2 },
    model: { layers: net.slice(1).map((out, i) => ({ type: 'Linear', in: at(net, i), out })) },
    data: { type: 'randomRegression', samples: 16, in: 64, out: 64 },
    loss: { type: 'MSELoss' },
    batchSize: 8,
    dropLast: true,
    device: 'cpu',
    compareSingle: false,
  });
  const trace = await session.api.traceStep();
  const { buffers } = session.info;
  await session.close();
  // Two linear layers per stage: 4 rows of 64 floats each; the last stage keeps output and target for the loss, too.
  const layer = 4 * 64 * 4;
  expect(keptBytes(trace, buffers, { index: 0, of: 1 }).get(0)).toBe(2 * layer);
  expect(keptBytes(trace, buffers, { index: 0, of: 1 }).get(1)).toBe(4 * layer);
});
