/**
 * What the lesson on the choice of a mode says, held against runs.
 *
 * @module-tag rest: the tests of the modes hold these runs; the claims of other lessons are asked in the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { TOPICS } from '../../src/lessons/drawing/at-size/at-size';
import { chosenOf, START } from '../../src/lessons/drawing/at-size/topic';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);
type Changes = Readonly<Record<string, string>>;

describe('question one: one GPU', () => {
  const alone = (of: 'allocated' | 'heldMemory' | 'activationMemory:0', changes: Changes = {}) =>
    value(of, 'alone', changes);
  const EIGHT = { accumulate: '8' };

  test('smaller micro-batches of the same batch: less memory of activations, the same floor', async () => {
    expect(await value('effectiveBatch', 'alone', EIGHT)).toBe(await value('effectiveBatch', 'alone'));
    expect(await alone('heldMemory', EIGHT)).toBe(await alone('heldMemory'));
    expect(await alone('activationMemory:0', EIGHT)).toBeLessThan((await alone('activationMemory:0')) / 6);
    expect(await alone('allocated', EIGHT)).toBeLessThan((await alone('allocated')) / 3);
  });

  test('checkpointing and half precision keep less, too', async () => {
    const all = await alone('activationMemory:0');
    expect(await alone('activationMemory:0', { checkpoint: '2' })).toBeLessThan(0.9 * all);
    expect(await alone('activationMemory:0', { precision: 'autocast-bf16' })).toBeLessThan(0.9 * all);
  });
});

describe('question two: time', () => {
  const step = (mode: string) => value('stepTime', 'clock', { mode });

  test('DDP divides the time by nearly four, DataParallel by less; model parallelism saves nothing', async () => {
    const one = await step('single');
    expect(one / (await step('ddp'))).toBeGreaterThan(3.7);
    expect(one / (await step('dp'))).toBeLessThan(3.1);
    expect(await step('mp')).toBeGreaterThan(one);
  });

  test('under model parallelism one device computes and three wait', async () => {
    const idle = await value('idle', 'clock', { mode: 'mp' });
    expect(idle).toBeGreaterThan(0.7);
    expect(idle).toBeLessThan(0.76);
  });

  test('DataParallel updates the weights on cuda:0 alone', async () => {
    const { trace } = await facts('clock', { mode: 'dp' });
    const updating = must(trace, 'a step').events.flatMap(({ phase, kind, device }) =>
      phase === 'step' && kind === 'compute' ? [device] : [],
    );
    expect(new Set(updating)).toEqual(new Set([0]));
  });

  test('in a step FSDP sends half as many bytes again as DDP', async () => {
    const sent = (mode: string) => value('bytesInAll', 'links', { mode });
    expect((await sent('sharded')) / (await sent('ddp'))).toBe(1.5);
  });
});

describe('question three: the floor', () => {
  const held = (mode: string) => value('heldMemory:0', 'divide', { mode });

  test('DDP holds all of it on every rank, as many bytes as the question says; FSDP little more than a quarter', async () => {
    expect(await held('ddp')).toBe(74_496);
    expect(lesson.predictions['floor']?.question).toContain('74,496 B');
    expect(await held('ddp')).toBe(await value('heldMemory', 'alone'));
    const share = (await held('sharded')) / (await held('ddp'));
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  test('a pipeline needs even less, partly for its micro-batches, and has a bubble', async () => {
    const peak = (changes: Changes) => value('allocated:0', 'divide', changes);
    expect(await peak({ mode: 'pipeline' })).toBeLessThan(await peak({ mode: 'sharded' }));
    expect(await peak({ mode: 'sharded', batch: '32' })).toBeLessThan(await peak({ mode: 'pipeline' }));
    expect(await value('idle', 'clock', { mode: 'pipeline' })).toBeGreaterThan(0.25);
    expect(await value('idle', 'clock', { mode: 'sharded' })).toBeLessThan(0.01);
  });
});

describe('question four: layers and links', () => {
  const step = (mode: string, nodes: string) => value('stepTime', 'links', { mode, nodes });
  const longer = async (mode: string) => (await step(mode, '4')) / (await step(mode, '1'));

  test('the slow network costs a tensor group more than DDP and FSDP', async () => {
    expect(await longer('tensor')).toBeGreaterThan(1.8);
    expect(await longer('sharded')).toBeLessThan(1.5);
    expect(await longer('ddp')).toBeLessThan(1.4);
  });

  test('FSDP hides a part of its messages, and waits less than a tensor group on four nodes', async () => {
    expect(await value('hidden', 'links', { mode: 'sharded' })).toBeGreaterThan(0.2);
    const waits = (mode: string) => value('exposedTime', 'links', { mode, nodes: '4' });
    expect(await waits('tensor')).toBeGreaterThan(1.3 * (await waits('sharded')));
  });

  test('the bytes of FSDP do not depend on the rows, those of a tensor group grow with them', async () => {
    const sent = (mode: string, batch: string) => value('bytesInAll', 'links', { mode, batch });
    expect(await sent('sharded', '1024')).toBe(await sent('sharded', '4096'));
    expect((await sent('tensor', '4096')) / (await sent('tensor', '1024'))).toBe(4);
  });

  test('a tensor group computes the same rows, DDP and FSDP divide them', async () => {
    const rows = (mode: string) => value('rowsPerRank', 'links', { mode });
    expect([await rows('tensor'), await rows('ddp'), await rows('sharded')]).toEqual([4096, 1024, 1024]);
  });

  test('only gradients go from node to node if shards stay inside one', async () => {
    const { trace } = await facts('links', { mode: 'sharded', nodes: '2', dp: '2' });
    const { events } = must(trace, 'a step');
    const across = events.flatMap(({ kind, device, peer = device, payload }) =>
      kind === 'send' && device < 2 !== peer < 2 ? [payload] : [],
    );
    expect(new Set(across)).toEqual(new Set(['gradient']));
  });
});

describe('at a real size', () => {
  const topic = must(TOPICS['which-mode'], 'the topic');
  const show = (changes: Changes) => topic.show(chosenOf({ ...START, ...topic.start, ...changes }));

  test.each([
    ['gpt2', '8', 'one GPU'],
    ['llama7b', '16', 'FSDP'],
    ['llama70b', '64', 'FSDP with tp 8'],
  ])('%s on %s ranks of 40 GiB: %s', (model, ranks, first) => {
    expect(show({ model, ranks }).says).toContain(`40 GiB is ${first}.`);
  });

  test('70 billion weights do not fit on eight GPUs in any mode', () => {
    expect(show({ model: 'llama70b', ranks: '8' }).says).toContain('No mode fits');
  });
});

describe('tasks', () => {
  test('less than half of the memory: micro-batches of 64 rows are the largest', async () => {
    const done = async (changes: Changes) => lesson.tasks['half']?.done(await facts('alone', changes));
    expect(await done({})).toBe(false);
    expect(await done({ accumulate: '2' })).toBe(false);
    expect(await done({ accumulate: '4' })).toBe(true);
    expect(await done({ accumulate: '8' })).toBe(false);
    expect(await done({ batch: '64' })).toBe(false);
    expect(await value('allocated', 'alone')).toBe(336_640);
    expect(await value('allocated', 'alone', { accumulate: '2' })).toBeGreaterThan(336_640 / 2);
  });

  test('on two nodes only FSDP holds less than half of the floor and is as fast as asked', async () => {
    const done = async (mode: string, nodes = '2') =>
      lesson.tasks['across']?.done(await facts('links', { mode, nodes }));
    expect([await done('ddp'), await done('sharded'), await done('tensor')]).toEqual([false, true, false]);
    expect(await done('sharded', '1')).toBe(false);
    expect(await value('heldMemory:0', 'links')).toBe(1_059_584);
  });
});
