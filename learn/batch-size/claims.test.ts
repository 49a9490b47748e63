/**
 * @module-tag rest: the optimisers are held to PyTorch by script-losses.test.ts; the claims of other lessons are asked
 * in the same way.
 */
import { expect, test } from 'vitest';
import { measure } from '../../src/lessons/facts/quantities';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

/** The script on one GPU: as many epochs, batches of eight. */
const ALONE = { mode: 'single', batch: '8', at: '320' };

test('with the same learning rate four ranks make a quarter of the progress in the same number of epochs', async () => {
  const same = await value('trainLoss', 'rate');
  expect(same).toBeGreaterThan(10 * (await value('trainLoss', 'rate', ALONE)));
  expect(Math.abs(same - (await value('trainLoss', 'rate', { ...ALONE, at: '80' })))).toBeLessThan(0.02);
});

test('both runs read as many rows: a quarter of the steps, four times the rows in each', async () => {
  expect(await value('batchesPerEpoch', 'rate')).toBe(8);
  expect(await value('batchesPerEpoch', 'rate', ALONE)).toBe(32);
  expect(await value('effectiveBatch', 'rate')).toBe(4 * (await value('effectiveBatch', 'rate', ALONE)));
  expect(await value('stepsDone', 'rate', ALONE)).toBe(4 * (await value('stepsDone', 'rate')));
});

test('with four times the learning rate four ranks end where one device does', async () => {
  const alone = await value('trainLoss', 'rate', ALONE);
  expect(Math.abs((await value('trainLoss', 'rate', { lr: '0.2' })) / alone - 1)).toBeLessThan(0.05);
});

test('four ranks also end there with the same rate and a quarter of the rows on each rank', async () => {
  const alone = await value('trainLoss', 'rate', ALONE);
  const shared = { batch: '8', at: '320' };
  expect(await value('rowsPerRank', 'rate', shared)).toBe(2);
  expect(Math.abs((await value('trainLoss', 'rate', shared)) / alone - 1)).toBeLessThan(0.05);
});

test('a step that is too long makes the loss rise', async () => {
  const { losses } = (await facts('rate', { lr: '3.2' })).app;
  expect(Math.max(...losses.map(({ loss }) => loss))).toBeGreaterThan(1.3 * (losses[0]?.loss ?? 0));
  const calm = (await facts('rate')).app.losses;
  expect(Math.max(...calm.map(({ loss }) => loss))).toBeLessThan(1.05 * (calm[0]?.loss ?? 0));
});

test('four micro-batches in a step train like one large batch', async () => {
  const whole = await value('trainLoss', 'rate', { lr: '0.2' });
  expect(await value('trainLoss', 'rate', { lr: '0.2', accumulate: '4' })).toBeCloseTo(whole, 5);
});

test('only the activations shrink with the rows of a micro-batch', async () => {
  const all = await Promise.all(
    ['1', '2', '4', '8', '16'].map((accumulate) => facts('micro', { accumulate, at: '3' })),
  );
  const of = (quantity: string) => all.map((one) => measure(one, quantity) ?? Number.NaN);
  const [whole = 0, half = 0, quarter = 0] = of('activationMemory');
  expect(half / whole).toBeLessThan(0.6);
  expect(quarter / whole).toBeLessThan(0.3);
  expect(new Set(of('effectiveBatch')).size).toBe(1);
  for (const kept of ['parameterMemory', 'gradientMemory', 'optimizerMemory']) expect(new Set(of(kept)).size).toBe(1);
});

test('inside no_sync the first micro-batch sends nothing, and the last as much as a single one', async () => {
  expect(await value('bytesPerRank', 'nosync', { noSync: 'both' })).toBe(0);
  const once = await value('bytesPerRank', 'nosync', { noSync: 'both', at: '3.4' });
  expect(once).toBeGreaterThan(0);
  expect(once).toBe(await value('bytesPerRank', 'nosync', { accumulate: '1', at: '3' }));
  expect(await value('bytesPerRank', 'nosync')).toBe(once);
});

test('no_sync takes effect in the forward pass', async () => {
  expect(await value('bytesPerRank', 'nosync', { noSync: 'forward' })).toBe(0);
  expect(await value('bytesPerRank', 'nosync', { noSync: 'backward' })).toBe(await value('bytesPerRank', 'nosync'));
});

test('forward outside no_sync gives the right weights', async () => {
  const end = { at: '3.4' };
  const right = await value('trainLoss', 'nosync', { ...end, noSync: 'both' });
  expect(await value('trainLoss', 'nosync', { ...end, noSync: 'backward' })).toBeCloseTo(right, 5);
  expect(await value('divergence', 'nosync', { ...end, noSync: 'backward' })).toBe(0);
});

test('without no_sync most of the first micro-batch is waiting for the network', async () => {
  expect((await value('exposedTime', 'nosync')) / (await value('stepTime', 'nosync'))).toBeGreaterThan(0.5);
  expect(await value('stepTime', 'nosync', { noSync: 'both' })).toBeLessThan((await value('stepTime', 'nosync')) / 2);
});

test('the figure of no_sync begins with the first micro-batch of a step', async () => {
  const { trace, app } = await facts('nosync');
  expect((trace?.microBatch ?? -1) % app.config.accumulate).toBe(0);
});

test.each(Object.entries(lesson.tasks))('task %s is open at first, and its solution does it', async (_, task) => {
  expect(task.done(await facts(task.figure))).toBe(false);
  const set = task.solution.flatMap((action) => (typeof action === 'object' && 'set' in action ? [action.set] : []));
  expect(task.done(await facts(task.figure, Object.assign({}, ...set)))).toBe(true);
});

test('the predictions are answered as the text says', async () => {
  expect(await value('trainLoss', 'rate')).toBeGreaterThan(0.5);
  const { answer, guess } = lesson.predictions['backward'] ?? {};
  if (!answer || guess?.kind !== 'choice') throw new Error('The prediction is one of choices.');
  const at = await facts(answer.figure, answer.with);
  const sent = await value(answer.of, answer.figure, answer.with);
  expect(guess.choices.map(({ right }) => right(sent, at))).toEqual([false, true]);
});
