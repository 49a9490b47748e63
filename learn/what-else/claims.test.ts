import { expect, test } from 'vitest';
import { claimsOf } from '../../src/lessons/testing/claims';
import { contentsAt } from '../../src/trace/contents';
import { momentsOf } from '../../src/trace/moments/moments';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

const LAYER_NORM = 'linear8-ln-tanh-linear1';
const WITHOUT = 'linear8-tanh-linear1';

test('a batch norm on four ranks is not that of one device, and the replicas agree all the same', async () => {
  expect(await value('difference', 'norm')).toBeGreaterThan(1e-3);
  expect(await value('divergence', 'norm')).toBe(0);
});

test('without it four ranks train as one device does', async () => {
  expect(await value('difference', 'norm', { model: WITHOUT })).toBeLessThan(1e-6);
});

test('with SyncBatchNorm they do, too, for more bytes and a longer step', async () => {
  expect(await value('difference', 'norm', { syncBatchNorm: '1' })).toBeLessThan(1e-6);
  for (const cost of ['bytesPerRank', 'rounds', 'stepTime'] as const)
    expect(await value(cost, 'norm', { syncBatchNorm: '1' })).toBeGreaterThan(await value(cost, 'norm'));
});

test('it gathers mean, deviation and count in forward, and reduces two sums per channel in backward', async () => {
  const { trace } = await facts('norm', { syncBatchNorm: '1' });
  const sent = (phase: string) =>
    (trace?.events ?? [])
      .filter((e) => e.kind === 'send' && e.device === 0 && e.phase === phase && e.bucket === undefined)
      .reduce((bytes, e) => bytes + e.bytes, 0);
  const channels = 8;
  expect(sent('forward')).toBe(3 * (2 * channels + 1) * 4);
  expect(sent('backward')).toBe(((2 * 3) / 4) * 2 * channels * 4);
});

test('its messages in forward are hidden behind no computation', async () => {
  const { trace } = await facts('norm', { syncBatchNorm: '1' });
  const spans = (trace?.events ?? []).flatMap((e, i) => {
    const span = trace?.modelled[i];
    return span && e.device === 0 ? [{ ...e, from: span.startUs, to: span.startUs + span.durUs }] : [];
  });
  const messages = spans.filter(({ kind, phase }) => kind === 'send' && phase === 'forward');
  expect(messages.length).toBeGreaterThan(0);
  for (const { from, to } of messages)
    expect(spans.some((e) => e.kind === 'compute' && e.from < to - 0.01 && e.to > from + 0.01)).toBe(false);
});

test('a layer norm needs no message to be the same on four ranks', async () => {
  expect(await value('difference', 'norm', { model: LAYER_NORM })).toBeLessThan(1e-6);
  const { trace } = await facts('norm', { model: LAYER_NORM });
  const apart = (trace?.events ?? []).filter((e) => e.kind === 'send' && e.bucket === undefined);
  expect(apart).toEqual([]);
});

test('each rank moves the running mean of rank 0 a tenth of the way to the mean of its own samples', async () => {
  const { trace, app } = await facts('buffers');
  const after = app.cursor?.event ?? -1;
  const broadcast = trace && momentsOf(trace)[1]?.events.at(-1);
  if (!trace || broadcast === undefined) throw new Error('The step begins with a broadcast of the running mean.');
  const element = (event: number, buffer: string) =>
    contentsAt(trace, event).get(1)?.get(buffer)?.values[0] ?? Number.NaN;
  const [before, own] = [element(broadcast, '1.running_mean'), element(after, '1.mean')];
  expect(element(after, '1.running_mean')).toBeCloseTo(0.9 * before + 0.1 * own, 6);
});

test('what is sent before a forward is what rank 0 had after the one before', async () => {
  const kept = await value('element:0/1.running_mean/0', 'buffers');
  expect(await value('element:1/1.running_mean/0', 'buffers')).not.toBe(kept);
  expect(await value('element:1/1.running_mean/0', 'buffers', { at: '4', moment: '2' })).toBe(kept);
});

test('without the broadcast each rank keeps its own, and no buffer is sent', async () => {
  const changes = { broadcastBuffers: '0' };
  expect(await value('spread:1.running_mean', 'buffers', changes)).toBeGreaterThan(0);
  const { trace } = await facts('buffers', changes);
  expect(trace?.events.filter(({ kind, phase }) => kind === 'send' && phase === 'broadcast')).toEqual([]);
});

test('with SyncBatchNorm the running statistics are the same on all ranks, broadcast or not', async () => {
  const end = { syncBatchNorm: '1', moment: '36' };
  expect(await value('spread:1.running_mean', 'buffers', end)).toBe(0);
  expect(await value('spread:1.running_mean', 'buffers', { ...end, broadcastBuffers: '0', moment: '33' })).toBe(0);
});

test('SyncBatchNorm takes each micro-batch by itself', async () => {
  const split = { syncBatchNorm: '1', accumulate: '2' };
  const whole = await facts('norm', { syncBatchNorm: '1' });
  const parts = await facts('norm', split);
  const far = (whole.app.snapshot?.parameters ?? []).flatMap((own, i) =>
    [...own].map((w, j) => Math.abs(w - (parts.app.snapshot?.parameters[i]?.[j] ?? Number.NaN))),
  );
  expect(Math.max(...far)).toBeGreaterThan(1e-4);
});

test('with one seed for all the masks are the same, with a seed for each they differ', async () => {
  expect(await value('spread:2.mask', 'dropout')).toBe(0);
  expect(await value('spread:2.mask', 'dropout', { rankSeeds: 'afterModel' })).toBeGreaterThan(0);
  expect(await value('divergence', 'dropout', { rankSeeds: 'afterModel' })).toBe(0);
});

test.each(Object.entries(lesson.tasks))('task %s is open at first, and its solution does it', async (_, task) => {
  expect(task.done(await facts(task.figure))).toBe(false);
  const set = task.solution.flatMap((action) => (typeof action === 'object' && 'set' in action ? [action.set] : []));
  expect(task.done(await facts(task.figure, Object.assign({}, ...set)))).toBe(true);
});

test.each(Object.entries(lesson.predictions))('prediction %s: the second choice is right', async (_, prediction) => {
  const { answer, guess } = prediction;
  if (guess.kind !== 'choice') throw new Error('It is one of choices.');
  const run = await facts(answer.figure, answer.with);
  const answered = await value(answer.of, answer.figure, answer.with);
  expect(guess.choices.map(({ right }) => right(answered, run))).toEqual([false, true]);
});
