/**
 * What the lesson on sharded states says, held against runs.
 *
 * @module-tag rest: the runs that it speaks of are held by sharded.test.ts and sharded-memory.test.ts; the claims of
 * other lessons are asked in the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { claimsOf } from '../../src/lessons/testing/claims';
import { memoryOf } from '../../src/trace/memory';
import { momentsOf } from '../../src/trace/moments/moments';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);
const { scatter, fifth, cheap } = lesson.tasks;
const STAGES = ['0', '1', '2', '3'] as const;

const right = async (name: 'peak' | 'volume') => {
  const { answer, guess } = must(lesson.predictions[name], name);
  const [found, of] = [await value(answer.of, answer.figure), await facts(answer.figure)];
  return guess.kind === 'choice'
    ? guess.choices.filter((choice) => choice.right(found, of)).map(({ text }) => text)
    : [];
};

/** Bytes of the parameters, P of the formulas. */
const parameterBytes = async () => 4 * (await value('parameters', 'stages'));

describe('gather, use, free', () => {
  test('each rank has its own rows and half of every tensor, and layers are whole for their turn only', async () => {
    const { trace, info } = await facts('turn');
    const samples = must(trace, 'a step').samples;
    expect(samples[0]?.filter((row) => samples[1]?.includes(row))).toEqual([]);
    const shapes = (name: string) => info?.buffers.filter((own) => own.name === name).map(({ shape }) => shape);
    expect(shapes('0.weight')).toEqual([
      [4, 4],
      [4, 4],
    ]);
    expect(shapes('2.bias')).toEqual([[2], [2]]);
    // Adam's states are cut in the same way.
    expect(shapes('0.weight.exp_avg')).toEqual(shapes('0.weight'));
    expect(info?.buffers.filter(({ name }) => name.includes('unsharded')).every(({ persistent }) => !persistent)).toBe(
      true,
    );
  });

  test('in the order of the list: gather and compute, twice; then scatter, then the step', async () => {
    const moments = momentsOf(must((await facts('turn')).trace, 'a step'));
    const rounds = moments.flatMap(({ round }) => (round ? [round.op] : []));
    expect(rounds).toEqual(['allGather', 'allGather', 'allGather', 'allGather', 'reduceScatter', 'reduceScatter']);
    expect(moments.at(-1)?.phase).toBe('step');
    expect(await value('allGathers', 'turn')).toBe(4);
    expect(await value('reduceScatters', 'turn')).toBe(2);
  });
});

describe('three stages', () => {
  test('formulas: stages 0, 1 and 3 keep what they say between steps, within what small tensors are rounded up by', async () => {
    const [P, N] = [await parameterBytes(), 4];
    const formula = { 0: 4 * P, 1: 2 * P + (2 * P) / N, 3: (4 * P) / N };
    for (const [zero, bytes] of Object.entries(formula)) {
      const held = await value('heldMemory:0', 'stages', { zero });
      expect(held / bytes, `stage ${zero}`).toBeGreaterThan(0.999);
      // Of stage 1 rank 0 has the larger part: whole parameters are shared out.
      expect(held / bytes, `stage ${zero}`).toBeLessThan(1.13);
    }
  });

  test('stage 2 keeps shards of the parameters, too, between steps; a gathered layer stays until backward', async () => {
    const held = (zero: string) => value('heldMemory:0', 'stages', { zero });
    expect(await held('2')).toBe(await held('3'));
    const { info } = await facts('stages', { zero: '2' });
    expect(info?.sharding?.whole.parameters).toBe(await parameterBytes());
  });

  test('each stage needs less at its fullest moment than the one before; stage 3 between a quarter and all', async () => {
    const peaks = await Promise.all(STAGES.map((zero) => value('allocated:0', 'stages', { zero })));
    expect(peaks).toEqual(peaks.toSorted((a, b) => b - a));
    expect(await right('peak')).toEqual(['More than a quarter, less than all']);
  });

  test('activations are as large at every stage', async () => {
    const atLoss = async (zero: string) => {
      const { trace, info } = await facts('stages', { zero });
      const { events } = must(trace, 'a step');
      const loss = events.findIndex(
        ({ device, phase, kind }) => device === 0 && phase === 'loss' && kind === 'compute',
      );
      return memoryOf(must(trace, 'a step'), must(info, 'a run').buffers).at(0, loss).activation;
    };
    const kept = await Promise.all(STAGES.map(atLoss));
    expect(kept[0]).toBeGreaterThan(0);
    expect(kept).toEqual(STAGES.map(() => kept[0]));
  });

  test('plain SGD has no states', async () => {
    const { info } = await facts('stages', { opt: 'sgd' });
    expect(info?.sharding?.whole.states).toBe(0);
  });
});

describe('what it costs', () => {
  test('DDP and stage 2 send 2 (N-1)/N P, stage 3 sends 3, exactly; stage 1 as much as stage 3, in all', async () => {
    const P = await parameterBytes();
    const sent = { 0: 2, 2: 2, 3: 3 };
    for (const [zero, times] of Object.entries(sent))
      expect(await value('bytesPerRank', 'order', { zero }), `stage ${zero}`).toBe(((times * 3) / 4) * P);
    expect(await value('bytesPerRank', 'order', { world: '8' })).toBe(((3 * 7) / 8) * P);
    const inAll = (zero: string) => value('bytesInAll', 'order', { zero });
    expect(await inAll('1')).toBe(await inAll('3'));
    expect(await right('volume')).toEqual(['Half as much again']);
  });

  test('a gather per layer and pass at stage 3, one for both passes at stage 2', async () => {
    expect(await value('allGathers', 'order')).toBe(10);
    expect(await value('reduceScatters', 'order')).toBe(5);
    expect(await value('allGathers', 'order', { zero: '2' })).toBe(5);
  });

  test('gathering ahead: less waiting, more memory', async () => {
    const ahead = (of: 'exposedTime' | 'allocated:0', prefetch: string) => value(of, 'order', { prefetch });
    expect(await ahead('exposedTime', '0')).toBeGreaterThan(2 * (await ahead('exposedTime', 'none')));
    expect(await ahead('allocated:0', '0')).toBeLessThan(await ahead('allocated:0', 'none'));
  });
});

test('the numbers stay the same at every stage: those of one device, within rounding', async () => {
  for (const zero of STAGES) {
    expect(await value('difference', 'same', { zero }), zero).toBeLessThan(1e-5);
    expect(await value('loss', 'same', { zero }), zero).toBeCloseTo(await value('loss', 'same', { zero: '0' }), 6);
  }
});

describe('tasks', () => {
  test('scatter: done where gradients are scattered, once the reader has stepped', async () => {
    const there = await facts('turn', { moment: '20' });
    expect(scatter?.done({ ...there, pressed: ['moment'] })).toBe(true);
    expect(scatter?.done(there)).toBe(false);
    expect(scatter?.done({ ...(await facts('turn', { moment: '12' })), pressed: ['moment'] })).toBe(false);
  });

  test('fifth: eight ranks, at stage 2 or 3', async () => {
    const done = async (changes: Readonly<Record<string, string>>) => fifth?.done(await facts('stages', changes));
    expect(await done({})).toBe(false);
    expect(await done({ world: '8', zero: '1' })).toBe(false);
    expect(await done({ world: '8' })).toBe(true);
  });

  test('cheap: stage 2 alone', async () => {
    const done = async (zero: string) => cheap?.done(await facts('order', { zero }));
    expect(await Promise.all(STAGES.map(done))).toEqual([false, false, true, false]);
  });
});
