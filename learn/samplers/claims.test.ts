import { expect, test } from 'vitest';
import { isConstruct } from '../../src/app/state/kept-run';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

/** What each rank reads in the step at the cursor. */
const read = async (changes = {}) => (await facts('deal', changes)).trace?.samples ?? [];
const lossesOf = async (changes: Readonly<Record<string, string>>) =>
  (await facts('teeth', changes)).app.losses.map(({ loss }) => loss);

test('ten rows on four ranks are read as PyTorch’s DistributedSampler deals them', async () => {
  // list(DistributedSampler(dataset, 4, rank)) of torch, for each rank.
  expect(await read()).toEqual([
    [4, 3, 6],
    [1, 9, 2],
    [7, 0, 4],
    [5, 8, 1],
  ]);
});

test('rank r takes every Nth entry of one list, which continues with its own beginning', async () => {
  const ranks = await read();
  const list = Array.from({ length: 12 }, (_, place) => ranks[place % 4]?.[Math.floor(place / 4)]);
  expect(new Set(list.slice(0, 10)).size).toBe(10);
  expect(list.slice(10)).toEqual(list.slice(0, 2));
});

test('all ranks read the number of rows divided by that of ranks, rounded up', async () => {
  for (const world of ['2', '3', '4', '5', '8']) {
    expect(await value('rowsRead', 'deal', { world })).toBe(Number(world) * Math.ceil(10 / Number(world)));
    expect(new Set((await read({ world })).map(({ length }) => length)).size).toBe(1);
    expect(await value('differentRows', 'deal', { world })).toBe(10);
  }
});

test('with drop_last no row is read twice, and those at the end of the list are left out', async () => {
  const list = (ranks: readonly (readonly number[])[], length: number) =>
    Array.from({ length }, (_, place) => ranks[place % 4]?.[Math.floor(place / 4)]);
  const ranks = await read({ dropLast: '1' });
  expect(ranks.flat().length).toBe(8);
  expect(list(ranks, 8)).toEqual(list(await read(), 8));
});

test('without shuffle the rows that fill up the list are the first of the data set', async () => {
  const ranks = await read({ shuffle: '0' });
  expect([ranks[2]?.at(-1), ranks[3]?.at(-1)]).toEqual([0, 1]);
});

test('without set_epoch rank 0 meets its first share only, with it others, too', async () => {
  const share = await value('rowsRead:0', 'forgot');
  expect(await value('rowsSeen:0', 'forgot')).toBe(share);
  expect(await value('rowsSeen:0', 'forgot', { setEpoch: '1' })).toBeGreaterThan(2 * share);
});

test('the figure of the third epoch has kept all three, so that what was read is counted whole', async () => {
  const { traces } = (await facts('forgot')).app;
  expect(traces.filter((trace) => !isConstruct(trace)).map(({ microBatch }) => microBatch)).toEqual([0, 1, 2]);
});

/** How alike the losses of epochs 2 and 4 are, step by step: 1 where they rise and fall together. */
function likeness(losses: readonly number[]): number {
  const [a, b] = [losses.slice(8, 16), losses.slice(24, 32)];
  const about = (values: readonly number[]) => {
    const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    return values.map((x) => x - mean);
  };
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, v, i) => sum + v * (y[i] ?? 0), 0);
  const [p, q] = [about(a), about(b)];
  return dot(p, q) / Math.sqrt(dot(p, p) * dot(q, q));
}

test('without set_epoch the loss has the same teeth in each epoch', async () => {
  expect(likeness(await lossesOf({ setEpoch: '0' }))).toBeGreaterThan(0.95);
  expect(Math.abs(likeness(await lossesOf({ setEpoch: '1' })))).toBeLessThan(0.7);
});

test('the loss over all rows does not show the missing set_epoch', async () => {
  const forgotten = await value('trainLoss', 'teeth', { setEpoch: '0' });
  const set = await value('trainLoss', 'teeth', { setEpoch: '1' });
  expect(Math.abs(forgotten - set) / set).toBeLessThan(0.01);
});

test('torch.manual_seed does not change the order of the rows, the seed of the sampler does', async () => {
  expect(await read({ seed: '1' })).toEqual(await read());
  expect(await read({ samplerSeed: '1' })).not.toEqual(await read());
});

test.each(Object.entries(lesson.tasks))('task %s is open at first, and its solution does it', async (_, task) => {
  expect(task.done(await facts(task.figure))).toBe(false);
  const set = task.solution.flatMap((action) => (typeof action === 'object' && 'set' in action ? [action.set] : []));
  expect(task.done(await facts(task.figure, Object.assign({}, ...set)))).toBe(true);
});

test('the predictions are answered as the text says', async () => {
  expect(await value('rowsRead', 'deal', { world: '8' })).toBe(16);
  expect(await value('rowsSeen:0', 'forgot')).toBe(3);
});
