/** What the lesson says of DataParallel, asked of runs. */
import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../src/lessons/testing/claims';
import { momentsOf } from '../../src/trace/moments/moments';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

async function eventsOf(figure: string, changes: Record<string, string> = {}) {
  const { trace } = await facts(figure, changes);
  if (!trace) throw new Error('no step');
  return trace.events;
}

describe('a step', () => {
  test('one process drives four devices', async () => {
    expect(await value('ranks', 'walk')).toBe(1);
    expect(await value('devices', 'walk')).toBe(4);
  });

  test('scatter, replicate, forward, gather, loss, backward, sum and step follow each other', async () => {
    const { trace } = await facts('walk');
    const phases = trace ? momentsOf(trace).map(({ phase }) => phase) : [];
    const order = ['scatter', 'replicate', 'forward', 'gather', 'loss', 'backward', 'reduce', 'step'] as const;
    const first = order.map((phase) => phases.indexOf(phase));
    expect(first.every((index) => index >= 0)).toBe(true);
    expect(first).toEqual([...first].sort((a, b) => a - b));
  });

  test('loss and optimiser are on cuda:0 alone', async () => {
    const events = await eventsOf('walk');
    const devices = new Set(events.filter(({ phase }) => phase === 'loss' || phase === 'step').map((e) => e.device));
    expect([...devices]).toEqual([0]);
    expect(await value('optimizerMemory:0', 'walk')).toBeGreaterThan(0);
    expect(await value('optimizerMemory:1', 'walk')).toBe(0);
  });

  test('all weights are sent in every forward pass, not only in the first', async () => {
    for (const at of ['1', '2', '3']) {
      const sent = (await eventsOf('walk', { at })).filter(
        ({ kind, payload }) => kind === 'send' && payload === 'parameter',
      );
      expect(sent.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(3 * (await value('gradientBytes', 'walk')));
    }
  });

  test('the gradients of the chunks are added, not averaged: the loss is that of one device', async () => {
    for (const batch of ['10', '32']) {
      const four = await value('loss', 'chunks', { batch, at: '20' });
      const one = await value('loss', 'chunks', { batch, at: '20', mode: 'single' });
      expect(Math.abs(four - one)).toBeLessThan(1e-6);
    }
    const sums = (await eventsOf('walk')).filter(({ phase, kind }) => phase === 'reduce' && kind === 'recv');
    expect(sums.map(({ apply }) => apply)).toEqual(['add', 'add', 'add']);
  });
});

describe('cuda:0', () => {
  test('cuda:0 sends N - 1 copies of the weights, besides rows and gradients of outputs', async () => {
    const bytes = await value('gradientBytes', 'load');
    const rows = 24;
    expect(await value('bytesPerRank:0', 'load')).toBe(3 * bytes + 4 * rows * (2 + 1));
  });

  test('cuda:0 receives as many bytes of gradients, and each other device sends a single copy', async () => {
    const bytes = await value('gradientBytes', 'load');
    const gradients = (await eventsOf('load')).filter((e) => e.phase === 'reduce' && e.kind === 'send');
    expect(gradients.map((e) => [e.device, e.peer, e.bytes])).toEqual([1, 2, 3].map((device) => [device, 0, bytes]));
  });

  test('under DDP no device sends much more than another, and less than cuda:0 did', async () => {
    const sent = await Promise.all(
      ([0, 1, 2, 3] as const).map((device) => value(`bytesPerRank:${device}`, 'load', { mode: 'ddp' })),
    );
    expect(Math.max(...sent) / Math.min(...sent)).toBeLessThan(1.1);
    expect(Math.max(...sent)).toBeLessThan((await value('bytesPerRank:0', 'load')) / 2);
  });

  test('cuda:0 has more in memory than the other devices', async () => {
    expect(await value('allocated:0', 'load')).toBeGreaterThan(1.5 * (await value('allocated:1', 'load')));
  });

  test('four devices are faster than one, and eight slower than four', async () => {
    const step = (world: string) => value('stepTime', 'load', { world });
    expect(await step('4')).toBeLessThan(await step('1'));
    expect(await step('8')).toBeGreaterThan(await step('4'));
    expect(await value('computeTime:1', 'load', { world: '8' })).toBeLessThan(
      0.6 * (await value('computeTime:1', 'load')),
    );
    expect(await value('idle:1', 'load')).toBeGreaterThan(0.5);
  });

  test('a larger batch moves the point from which more devices are slower', async () => {
    const step = (world: string) => value('stepTime', 'load', { world, batch: '256', at: '1' });
    expect(await step('8')).toBeLessThan(await step('4'));
  });
});

describe('chunks', () => {
  const rowsOf = async (batch: string) => (await facts('chunks', { batch })).info?.batchPerRank;

  test('a chunk has B / N rows, rounded up, until the rows run out', async () => {
    expect(await rowsOf('10')).toEqual([3, 3, 3, 1]);
    expect(await rowsOf('5')).toEqual([2, 2, 1, 0]);
    expect(await rowsOf('8')).toEqual([2, 2, 2, 2]);
  });

  test('with five rows there is no fourth replica, and the sum is still right', async () => {
    const busy = new Set((await eventsOf('chunks', { batch: '5' })).map(({ device }) => device));
    expect([...busy].sort()).toEqual([0, 1, 2]);
    const changes = { batch: '5', at: '20' };
    const one = await value('loss', 'chunks', { ...changes, mode: 'single' });
    expect(Math.abs((await value('loss', 'chunks', changes)) - one)).toBeLessThan(1e-6);
  });
});

describe('tasks', () => {
  test('the moment in which the weights are sent', async () => {
    const { weights } = lesson.tasks;
    expect(weights?.done(await facts('walk'))).toBe(false);
    expect(weights?.done(await facts('walk', { moment: '1' }))).toBe(false);
    expect(weights?.done(await facts('walk', { moment: '4' }))).toBe(false);
    expect(weights?.done(await facts('walk', { moment: '5' }))).toBe(true);
  });

  test('a step that is a third shorter takes another wrapper, not another number of devices', async () => {
    const { shorter } = lesson.tasks;
    expect(await value('stepTime', 'load')).toBeCloseTo(13_048.5, 0);
    const done = async (changes: Record<string, string>) => shorter?.done(await facts('load', changes));
    expect(await done({})).toBe(false);
    expect(await done({ world: '2' })).toBe(false);
    expect(await done({ world: '8' })).toBe(false);
    expect(await done({ mode: 'ddp' })).toBe(true);
    // Its first step has a single bucket.
    expect(await done({ mode: 'ddp', at: '1' })).toBe(true);
  });

  test('five or six rows leave a device without one', async () => {
    const { jobless } = lesson.tasks;
    const done = async (batch: string) => jobless?.done(await facts('chunks', { batch }));
    expect(await Promise.all(['10', '5', '6', '8', '32'].map(done))).toEqual([false, true, true, false, false]);
  });
});
