/**
 * The pipeline picture agrees with the step: cells in order, gaps with their reason; and keys lead to the right items.
 */
import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import type { ScheduleName } from '../../protocol/pipeline';
import { actionsOf } from '../../schedules/actions-of';
import { printAction } from '../../schedules/cell-text';
import { makeSchedule } from '../../schedules/schedule';
import { openTestSession } from '../../session/testing/open-session';
import { byMoments } from '../../trace/moments/moments';
import { createCursorOnPicture } from './cursor-on-picture';
import { type Picture, pictureOfSchedule } from './picture';
import { itemBeside, itemsOf } from './picture-items';
import { layoutPicture, scaleOf, stretchIn } from './picture-layout';
import { pictureOfTrace } from './picture-of-trace';
import { runSchedule } from './use-run-schedule';
import { whyBubble } from './why-bubble';

const NET = [2, 4, 4, 4, 4, 4, 1];

const run = (schedule: ScheduleName, settings: ConfigInput = {}): ConfigInput => ({
  mode: 'pipeline',
  mesh: { pp: 3 },
  pipeline: { schedule, microBatches: 6, ...(schedule === 'InterleavedZeroBubble' ? { stagesPerRank: 1 } : {}) },
  model: { layers: NET.slice(1).map((out, i) => ({ type: 'Linear', in: at(NET, i), out })) },
  data: { type: 'xor', samples: 48 },
  batchSize: 24,
  dropLast: true,
  device: 'cpu',
  compareSingle: false,
  ...settings,
});

async function traced(config: ConfigInput) {
  const session = await openTestSession(config);
  const trace = byMoments(await session.api.traceStep());
  const known = runSchedule(session.info.config);
  await session.close();
  return { trace, ...known };
}

const texts = (picture: Picture) => picture.rows.map(({ cells }) => cells.map(({ action }) => printAction(action)));

test.each(['GPipe', '1F1B', 'InterleavedZeroBubble', 'ZBVZeroBubble'] as const)(
  'cells of a step that ran are those of the schedule, in its order (%s)',
  async (name) => {
    const { trace, schedule } = await traced(run(name));
    for (const clock of ['modelled', 'measured'] as const) {
      const picture = pictureOfTrace(trace, clock, schedule, { index: 0, of: 1 });
      // The first stage has no input, so its I has no kernel.
      const expected = schedule.orders.map((order) =>
        actionsOf(order).filter(({ stage, kind }) => stage > 0 || kind !== 'I'),
      );
      expect(texts(picture)).toEqual(expected.map((order) => order.map(printAction)));
      expect(picture.bubble).toBeGreaterThan(0);
      expect(picture.bubble).toBeLessThan(1);
      for (const { cells, gaps } of picture.rows) {
        const covered = [...cells, ...gaps].reduce((sum, { start, end }) => sum + end - start, 0);
        expect(covered).toBeCloseTo(picture.to - picture.from, 3);
      }
    }
  },
);

test('each replica has a picture of its own', async () => {
  const { trace, schedule, replicas } = await traced(run('1F1B', { mesh: { pp: 3, dp: 2 }, batchSize: 48 }));
  expect(replicas).toBe(2);
  const devices = [0, 1].map((index) => {
    const picture = pictureOfTrace(trace, 'modelled', schedule, { index, of: 2 });
    expect(texts(picture)).toEqual(schedule.orders.map((order) => actionsOf(order).map(printAction)));
    return picture.rows.flatMap(({ cells }) =>
      cells.map(({ events }) => trace.events[must(events, 'ran').first]?.device),
    );
  });
  expect(new Set(devices[0])).toEqual(new Set([0, 2, 4]));
  expect(new Set(devices[1])).toEqual(new Set([1, 3, 5]));
});

test('the cursor highlights running cells, on the clock and in units', async () => {
  const { trace, schedule } = await traced(run('1F1B'));
  const ran = pictureOfTrace(trace, 'modelled', schedule, { index: 0, of: 1 });
  const planned = pictureOfSchedule(schedule);
  const cell = must(ran.cellOf({ stage: 1, kind: 'B', microBatch: 2 }), 'cell');
  const position = { event: must(cell.events, 'ran').last, fraction: 1 };
  const onClock = createCursorOnPicture(trace, 'modelled', ran, ran)(position);
  expect([...onClock.lit]).toContain(cell);
  const inUnits = createCursorOnPicture(trace, 'modelled', ran, planned)(position);
  expect([...inUnits.lit]).toContain(planned.cellOf(cell.action));
  const end = { event: trace.events.length - 1, fraction: 1 };
  expect(createCursorOnPicture(trace, 'modelled', ran, planned)(end).time).toBe(planned.to);
});

const oneF = makeSchedule({ name: '1F1B', ranks: 4, stagesPerRank: 1, microBatches: 8 });

test('a gap says what it waits for', () => {
  const picture = pictureOfSchedule(oneF);
  expect(picture.to).toBe(33);
  expect(picture.bubble).toBeCloseTo(3 / 11, 9);
  expect(picture.rows.map(({ peak }) => peak)).toEqual([4, 3, 2, 1]);
  const why = (rank: number, index: number) => whyBubble(at(at(picture.rows, rank).gaps, index), picture, oneF);
  expect(why(1, 0)).toBe(
    'Stage 1 is idle for 1 unit. It waits for the activations of micro-batch 0, which stage 0 computes until 1.',
  );
  expect(why(1, 1)).toBe(
    'Stage 1 is idle for 4 units. It waits for the gradient of micro-batch 0, which stage 2 computes until 8.',
  );
  expect(why(3, at(picture.rows, 3).gaps.length - 1)).toBe(
    'Stage 3 is idle for 6 units. It has run all its actions; the step ends when the last rank has finished.',
  );
});

test('with several stages per rank the sentence names both', () => {
  const looped = makeSchedule({ name: 'LoopedBFS', ranks: 2, stagesPerRank: 2, microBatches: 2 });
  const picture = pictureOfSchedule(looped);
  expect(whyBubble(at(at(picture.rows, 1).gaps, 0), picture, looped)).toBe(
    'Rank 1 is idle for 1 unit. It waits for the activations of micro-batch 0, which stage 0 on rank 0 computes until 1.',
  );
});

test('a message on the clock is part of the wait', async () => {
  const { trace, schedule } = await traced(run('1F1B'));
  const picture = pictureOfTrace(trace, 'modelled', schedule, { index: 0, of: 1 });
  const first = at(at(picture.rows, 1).gaps, 0);
  expect(first.waitsFor).toEqual({ stage: 0, kind: 'F', microBatch: 0 });
  expect(whyBubble(first, picture, schedule)).toMatch(
    /^Stage 1 is idle for [\d.]+ µs\. It waits for the activations of micro-batch 0, which stage 0 computes until [\d.]+ µs; the message then takes [\d.]+ µs\.$/,
  );
});

test('arrow keys go from cell to gap to cell, and to the same time on another row', () => {
  const picture = pictureOfSchedule(oneF);
  const items = itemsOf(picture);
  const row = at(items, 0);
  expect(row.map(({ kind }) => kind).slice(0, 6)).toEqual(['cell', 'cell', 'cell', 'cell', 'gap', 'cell']);
  const third = at(row, 3);
  expect(itemBeside(items, third, 'ArrowRight')?.kind).toBe('gap');
  expect(itemBeside(items, third, 'ArrowLeft')).toBe(row[2]);
  expect(itemBeside(items, at(row, 0), 'ArrowLeft')).toBe(row[0]);
  expect(itemBeside(items, third, 'Home')).toBe(row[0]);
  expect(itemBeside(items, third, 'End')).toBe(row.at(-1));
  const below = must(itemBeside(items, third, 'ArrowDown'), 'a row below');
  expect(below.rank).toBe(1);
  expect(below.start <= 3.5 && below.end >= 3.5).toBe(true);
  expect(itemBeside(items, third, 'ArrowUp')).toBe(third);
  expect(itemBeside(items, third, 'x')).toBeUndefined();
});

test('rows and cells lie inside the picture at every size', () => {
  for (const [width, ranks, microBatches] of [
    [390, 4, 8],
    [1000, 16, 64],
  ] as const) {
    const picture = pictureOfSchedule(makeSchedule({ name: '1F1B', ranks, stagesPerRank: 1, microBatches }));
    const layout = layoutPicture(width, ranks, 300);
    const scale = scaleOf(layout, picture, { from: 0, to: 1 });
    for (const row of picture.rows) {
      const lane = at(layout.rows, row.rank);
      expect(lane.band.y + lane.band.height).toBeLessThanOrEqual(layout.height);
      const rects = row.cells.map((cell) => must(stretchIn(layout, lane.cells, scale, cell), 'in view'));
      expect(Math.min(...rects.map(({ x }) => x))).toBeGreaterThanOrEqual(layout.left);
      expect(Math.max(...rects.map(({ x, width: own }) => x + own))).toBeLessThanOrEqual(layout.right + 1e-9);
    }
  }
});
