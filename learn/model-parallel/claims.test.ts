/** What the lesson on model parallelism says, held against runs. */
import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../src/lessons/testing/claims';
import type { Phase } from '../../src/protocol/trace';
import { lesson } from './lesson';

const { value, facts } = claimsOf(lesson);
const { home, narrow } = lesson.tasks;

/** Sum of a quantity over the devices. */
async function over(devices: number, of: 'computeTime' | 'activationMemory', figure: string, changes = {}) {
  const each = Array.from({ length: devices }, (_, device) => value(`${of}:${device}`, figure, changes));
  return (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
}

test('the whole batch enters on cuda:0, and its targets on the last device', async () => {
  const { trace, info } = await facts('walk');
  const loads = trace?.events.filter(({ kind, phase }) => kind === 'load' && phase !== 'step') ?? [];
  expect(loads.map(({ device, writes }) => [device, ...writes])).toEqual([
    [0, 'x'],
    [3, 'y'],
  ]);
  expect(trace?.samples[0]).toHaveLength(info?.config.batchSize ?? 0);
});

test('activations cross forward, their gradients backward, between neighbours; nothing else is sent', async () => {
  const { trace } = await facts('walk');
  const sent = trace?.events.filter(({ kind }) => kind === 'send') ?? [];
  const hop = (phase: Phase, payload: string, from: number, to: number) => ({ phase, payload, from, to });
  expect(sent.map(({ phase, payload, device, peer }) => hop(phase, payload ?? '', device, peer ?? -1))).toEqual([
    hop('forward', 'activation', 0, 1),
    hop('forward', 'activation', 1, 2),
    hop('forward', 'activation', 2, 3),
    hop('backward', 'gradient', 3, 2),
    hop('backward', 'gradient', 2, 1),
    hop('backward', 'gradient', 1, 0),
  ]);
  expect(trace?.events.some(({ collective }) => collective)).toBe(false);
});

test('one process drives all devices, and each weight is on one of them', async () => {
  const { info } = await facts('walk');
  expect(info?.environment).toHaveLength(1);
  const parameters = info?.buffers.filter(({ category }) => category === 'parameter').map(({ name }) => name) ?? [];
  expect(new Set(parameters).size).toBe(parameters.length);
  expect(parameters).toHaveLength(8);
});

test('a step on four devices computes as long as on one, and takes longer', async () => {
  const one = await value('stepTime', 'lanes', { world: '1' });
  const four = await value('stepTime', 'lanes');
  expect(four).toBeGreaterThan(one);
  expect(four).toBeLessThan(1.3 * one);
  expect((await over(4, 'computeTime', 'lanes')) / one).toBeCloseTo(1, 2);
  const answer = await facts('lanes');
  const { guess } = lesson.predictions.four ?? {};
  const right = guess?.kind === 'choice' ? guess.choices.map((choice) => choice.right(four, answer)) : [];
  expect(right).toEqual([false, false, true]);
});

test('DDP gets faster with more devices, model parallelism does not', async () => {
  const times = async (mode: string) => [
    await value('stepTime', 'lanes', { mode, world: '1' }),
    await value('stepTime', 'lanes', { mode, world: '2' }),
    await value('stepTime', 'lanes', { mode, world: '4' }),
  ];
  const [d1 = 0, d2 = 0, d4 = 0] = await times('ddp');
  const [m1 = 0, m2 = 0, m4 = 0] = await times('mp');
  expect([d1 > d2, d2 > d4]).toEqual([true, true]);
  expect([m1 < m2, m2 < m4]).toEqual([true, true]);
});

test('no two devices compute at the same time; each computes at most about a quarter of it', async () => {
  const { trace } = await facts('lanes');
  const busy = (trace?.events ?? [])
    .flatMap(({ kind }, index) => (kind === 'compute' ? (trace?.modelled[index] ?? []) : []))
    .sort((a, b) => a.startUs - b.startUs);
  expect(busy.length).toBeGreaterThan(20);
  const overlaps = busy.slice(1).filter(({ startUs }, i) => {
    const before = busy[i];
    return before !== undefined && startUs < before.startUs + before.durUs - 1e-3;
  });
  expect(overlaps).toEqual([]);
  for (const device of [0, 1, 2, 3]) expect(await value(`computing:${device}`, 'lanes')).toBeLessThan(0.26);
});

test('a larger batch leaves as much waiting', async () => {
  const small = await value('idle', 'lanes', { batch: '32' });
  const large = await value('idle', 'lanes', { batch: '128' });
  expect(small).toBeGreaterThan(0.6);
  expect(Math.abs(large - small)).toBeLessThan(0.03);
});

test('four devices hold a quarter of the parameters each, and more than a quarter of the activations', async () => {
  const whole = await value('parameterMemory:0', 'memory', { world: '1' });
  expect(await value('parameterMemory:0', 'memory')).toBe(whole / 4);
  expect(await value('parameterMemory:3', 'memory')).toBe(whole / 4);
  expect(await value('parameterMemory:3', 'memory', { mode: 'ddp' })).toBe(whole);
  const activations = await value('activationMemory:0', 'memory', { world: '1' });
  expect(await over(4, 'activationMemory', 'memory')).toBeGreaterThan(activations);
});

test.each([
  ['2-5', 32],
  ['4-3', 4],
  ['6-1', 32],
])('cut %s: an activation and a gradient of it cross', async (split, width) => {
  const { info } = await facts('cut', { split });
  expect(await value('bytesInAll', 'cut', { split })).toBe(2 * 4 * (info?.config.batchSize ?? 0) * width);
});

test('the cut changes what crosses and how full each device is, not how long the layers compute', async () => {
  const first = await over(2, 'computeTime', 'cut');
  const second = await over(2, 'computeTime', 'cut', { split: '4-3' });
  expect(second / first).toBeCloseTo(1, 2);
  expect(await value('optimizerMemory:0', 'cut', { split: '4-3' })).not.toBe(await value('optimizerMemory:0', 'cut'));
});

test('the numbers are those of one device to the bit; those of DDP are not', async () => {
  expect(await value('difference', 'walk', { at: '40', compare: '1' })).toBe(0);
  expect(await value('difference', 'walk', { at: '40', compare: '1', mode: 'ddp' })).toBeGreaterThan(0);
});

describe('tasks', () => {
  test('home: done when a gradient has come to cuda:0 after the reader has stepped', async () => {
    const begin = await facts('walk');
    expect(home?.done({ ...begin, pressed: ['moment'] })).toBe(false);
    const before = await facts('walk', { moment: '21' });
    expect(home?.done({ ...before, pressed: ['moment'] })).toBe(false);
    const there = await facts('walk', { moment: '22' });
    expect(home?.done({ ...there, pressed: ['moment'] })).toBe(true);
    expect(home?.done(there)).toBe(false);
  });

  test('narrow: done at the narrow layer only', async () => {
    expect(narrow?.done(await facts('cut'))).toBe(false);
    expect(narrow?.done(await facts('cut', { split: '6-1' }))).toBe(false);
    expect(narrow?.done(await facts('cut', { split: '4-3' }))).toBe(true);
  });
});
