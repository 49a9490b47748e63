/** What the lesson says of batches and nets on several devices, asked of runs. */
import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

const WORLDS = ['1', '2', '4', '8'] as const;
const overWorlds = (of: Parameters<typeof value>[0], changes: Record<string, string> = {}) =>
  Promise.all(WORLDS.map((world) => value(of, 'strong', { ...changes, world })));

describe('strong scaling', () => {
  test('more devices make the step shorter, and less so each time', async () => {
    const [one = 0, two = 0, four = 0, eight = 0] = await overWorlds('stepTime');
    const gains = [one / two, two / four, four / eight];
    expect(gains[0]).toBeLessThan(2);
    expect(gains[1]).toBeLessThan(gains[0] ?? 0);
    expect(gains[2]).toBeLessThan(gains[1] ?? 0);
    expect(gains[2]).toBeGreaterThan(1);
  });

  test('the optimiser takes as long on every number of devices', async () => {
    expect(new Set(await overWorlds('phaseTime:step')).size).toBe(1);
  });

  test('memory that grows with the rows is divided', async () => {
    const [one = 0, two = 0, four = 0] = await overWorlds('phaseTime:forward');
    expect(one / two).toBeCloseTo(2, 1);
    expect(one / four).toBeCloseTo(4, 1);
  });

  test('ranks wait longer for each other with more devices', async () => {
    const [one = 0, two = 0, , eight = 0] = await overWorlds('exposedTime');
    expect(one).toBe(0);
    expect(two).toBeGreaterThan(0);
    expect(eight).toBeGreaterThan(5 * two);
  });

  test('eight devices bring fewer than eight times the rows through', async () => {
    const [one = 0, , , eight = 0] = await overWorlds('rowsPerSecond');
    expect(eight).toBeLessThan(0.8 * 8 * one);
  });
});

describe('weak scaling', () => {
  test('with as many rows each as the one had, the step of eight is hardly longer than that of one', async () => {
    const one = await value('stepTime', 'strong', { world: '1', batch: '64' });
    const eight = await value('stepTime', 'strong', { world: '8', batch: '512' });
    expect(await value('rowsPerRank', 'strong', { world: '8', batch: '512' })).toBe(64);
    expect(eight / one).toBeGreaterThan(1);
    expect(eight / one).toBeLessThan(1.01);
  });

  test('one device brings about as many rows per second through whatever the batch', async () => {
    const rate = (batch: string) => value('rowsPerSecond', 'strong', { world: '1', batch });
    expect((await rate('512')) / (await rate('64'))).toBeLessThan(1.05);
  });

  test('on A100s this net takes longer with eight devices than with one', async () => {
    const [one = 0, , , eight = 0] = await overWorlds('stepTime', { hardware: 'pcie4' });
    expect(eight).toBeGreaterThan(one);
    const [oneComputes = 0, , , eightCompute = 0] = await overWorlds('computeTime', { hardware: 'pcie4' });
    expect(eightCompute / oneComputes).toBeGreaterThan(0.99);
  });
});

describe('memory', () => {
  test('every device has the whole constant memory', async () => {
    expect(new Set(await overWorlds('heldMemory')).size).toBe(1);
  });

  test('the hill at the end of forward is divided with the rows', async () => {
    const hill = async (world: string) =>
      (await value('liveMemory', 'memory', { world })) - (await value('heldMemory', 'memory', { world }));
    expect((await hill('1')) / (await hill('2'))).toBeCloseTo(2, 1);
    expect((await hill('1')) / (await hill('8'))).toBeCloseTo(8, 0);
  });

  test('eight devices use more than an eighth of the memory each, and at least the constant memory', async () => {
    const [one = 0, , , eight = 0] = await overWorlds('allocated');
    expect(eight).toBeGreaterThan(one / 2);
    expect(eight).toBeGreaterThan(await value('heldMemory', 'strong', { world: '8' }));
  });

  test('seven billion weights need 112 GB', () => {
    expect(16 * 7e9).toBe(112e9);
  });
});

describe('the net divided', () => {
  const held = (changes: Record<string, string>) =>
    Promise.all(([0, 1, 2, 3] as const).map((device) => value(`heldMemory:${device}`, 'cut', changes)));

  test('no device holds as much as a replica would', async () => {
    const pieces = await held({});
    expect(Math.max(...pieces)).toBe(await value('heldMemory:1', 'cut'));
    expect(Math.max(...pieces)).toBeLessThan(Math.min(...(await held({ mode: 'ddp' }))) / 2);
  });

  test('the devices take turns, and the step is longer than on one device', async () => {
    expect(await value('idle', 'cut')).toBeGreaterThan(0.5);
    expect(await value('stepTime', 'cut')).toBeGreaterThan(await value('stepTime', 'strong', { world: '1' }));
    expect(await value('idle', 'cut', { mode: 'ddp' })).toBeLessThan(0.01);
  });
});

describe('tasks', () => {
  test('seven times the rows takes eight devices and a larger batch', async () => {
    const { sevenfold } = lesson.tasks;
    expect(await value('rowsPerSecond', 'strong', { world: '1' })).toBe(368);
    const done = async (changes: Record<string, string>) => sevenfold?.done(await facts('clock', changes));
    expect(await done({})).toBe(false);
    expect(await done({ world: '8' })).toBe(false);
    expect(await done({ batch: '512' })).toBe(false);
    expect(await done({ world: '8', hardware: 'pcie4' })).toBe(false);
    expect(await done({ world: '8', batch: '256' })).toBe(true);
  });

  test('all four devices compute at the same time if the batch is divided', async () => {
    const { busy } = lesson.tasks;
    expect(busy?.done(await facts('cut'))).toBe(false);
    expect(busy?.done(await facts('cut', { mode: 'ddp' }))).toBe(true);
  });
});
