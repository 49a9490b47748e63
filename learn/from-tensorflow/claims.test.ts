/** What the lesson for those who come from TensorFlow says, held against runs. */
import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { value, facts } = claimsOf(lesson);
const { relieve, spoil } = lesson.tasks;

test('mirrored: each rank loads a quarter of the batch, and the replicas have the same bits', async () => {
  const { info, trace } = await facts('mirrored');
  expect(info?.environment).toHaveLength(4);
  expect(trace?.samples.map((own) => own.length)).toEqual([12, 12, 12, 12]);
  expect(await value('effectiveBatch', 'mirrored')).toBe(48);
  expect(await value('divergence', 'mirrored')).toBe(0);
});

test('the mean of means is the gradient of the whole batch, but for rounding', async () => {
  const difference = await value('difference', 'mirrored', { at: '20', compare: '1' });
  expect(difference).toBeGreaterThan(0);
  expect(difference).toBeLessThan(1e-5);
});

test('server: one process; weights go to all workers, gradients come back, the server alone steps', async () => {
  const { info, trace } = await facts('server');
  expect(info?.environment).toHaveLength(1);
  const sends = trace?.events.filter(({ kind }) => kind === 'send') ?? [];
  expect(new Set(sends.map(({ device, peer, payload }) => `${device} ${peer} ${payload}`))).toEqual(
    new Set(['0 1 parameter', '0 2 parameter', '0 3 parameter', '1 0 gradient', '2 0 gradient', '3 0 gradient']),
  );
  const steps = trace?.events.filter(({ kind, phase }) => kind === 'compute' && phase === 'step') ?? [];
  expect(new Set(steps.map(({ device }) => device))).toEqual(new Set([0]));
});

test('synchronous workers together take the step of one device', async () => {
  expect(await value('difference', 'server', { at: '20', compare: '1' })).toBeLessThan(1e-5);
});

test.each(['2', '4', '8'])('%s devices: the server sends the variables once to each worker', async (world) => {
  const bytes = await value('gradientBytes', 'server', { world });
  expect(await value('bytesPerRank:0', 'server', { world })).toBe((Number(world) - 1) * bytes);
  expect(await value('bytesReceived:0', 'server', { world })).toBe((Number(world) - 1) * bytes);
  expect(await value('bytesPerRank:1', 'server', { world })).toBe(bytes);
});

test('a device of a ring sends less than twice the gradients, however many there are', async () => {
  for (const world of ['2', '4', '8']) {
    const bytes = await value('gradientBytes', 'server', { world, mode: 'ddp' });
    expect(await value('bytesPerRank', 'server', { world, mode: 'ddp' })).toBeLessThan(2 * bytes);
  }
});

test('asynchronous: the server steps after the gradient of each worker', async () => {
  const { trace } = await facts('stale');
  const steps = trace?.events.filter(({ name, device }) => name.startsWith('optim/') && device === 0) ?? [];
  expect(steps).toHaveLength(3);
});

test('two updates late does no harm, sixteen do', async () => {
  const current = await value('trainLoss', 'stale', { staleness: '0' });
  expect(current).toBeLessThan(0.01);
  expect(await value('trainLoss', 'stale', { staleness: '2' })).toBeLessThan(0.01);
  expect(await value('trainLoss', 'stale', { staleness: '16' })).toBeGreaterThan(1);
});

test('sixteen updates late: a smaller rate helps', async () => {
  expect(await value('trainLoss', 'stale', { staleness: '16', lr: '0.01' })).toBeLessThan(0.7);
});

describe('tasks', () => {
  test('relieve: eight devices without a server', async () => {
    expect(relieve?.done(await facts('server'))).toBe(false);
    expect(relieve?.done(await facts('server', { world: '8' }))).toBe(false);
    expect(relieve?.done(await facts('server', { mode: 'ddp' }))).toBe(false);
    expect(relieve?.done(await facts('server', { world: '8', mode: 'ddp' }))).toBe(true);
  });

  test('spoil: gradients that are sixteen updates old', async () => {
    expect(spoil?.done(await facts('stale'))).toBe(false);
    expect(spoil?.done(await facts('stale', { staleness: '8' }))).toBe(false);
    expect(spoil?.done(await facts('stale', { staleness: '16' }))).toBe(true);
  });
});
