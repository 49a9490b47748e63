/**
 * What the lesson says of schedules with a small bubble, asked of runs.
 *
 * @module-tag rest: the runs that it speaks of are held by pipeline.test.ts; the claims of other lessons are asked in
 * the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

const by = (pipeline: string) => ({ pipeline });
const V = ['ZBVZeroBubble', 'DualPipeV'];

describe('several stages per rank', () => {
  test('interleaved: rank 0 has the first and the fifth stage, and the bubble is smaller', async () => {
    const { info, trace } = await facts('loops', by('Interleaved1F1B'));
    const own = must(trace, 'a step').events.flatMap(({ action, device, kind }) =>
      kind === 'compute' && device === 0 && action ? [action.stage] : [],
    );
    expect([...new Set(own)].sort()).toEqual([0, 4]);
    expect(info?.worldSize).toBe(4);
    expect(await value('bubble', 'loops', by('Interleaved1F1B'))).toBeCloseTo(3 / 19, 12);
    expect(await value('bubbleOfRun', 'loops', by('Interleaved1F1B'))).toBeLessThan(
      await value('bubbleOfRun', 'loops'),
    );
  });

  test('it sends more messages of the same size, and keeps more activations', async () => {
    const [plain, interleaved] = [by('1F1B'), by('Interleaved1F1B')];
    // Six borders crossed both ways by eight micro-batches were three.
    expect(await value('messages', 'loops', plain)).toBe(2 * 3 * 8);
    expect(await value('messages', 'loops', interleaved)).toBe(2 * 7 * 8);
    expect(await value('bytesPerHop', 'loops', interleaved)).toBe(await value('bytesPerHop', 'loops', plain));
    expect(await value('bytesPerHop', 'loops', plain)).toBe(4 * 32 * 4);
    expect(await value('peakLive:0', 'loops', interleaved)).toBeGreaterThan(
      2 * (await value('peakLive:0', 'loops', plain)),
    );
  });
});

describe('backward in two halves', () => {
  test('ZB1P, one stage per rank: (P - 1) / (3M + P - 1), where 1F1B has (P - 1) / (M + P - 1)', async () => {
    for (const microBatches of ['4', '8', '16']) {
      const M = Number(microBatches);
      expect(await value('bubble', 'halves', { ...by('1F1B'), microBatches })).toBeCloseTo(3 / (M + 3), 12);
      expect(await value('bubble', 'halves', { ...by('InterleavedZeroBubble'), microBatches })).toBeCloseTo(
        3 / (3 * M + 3),
        12,
      );
    }
    expect(await value('stages', 'halves', by('InterleavedZeroBubble'))).toBe(4);
    expect(await value('makespan', 'halves', by('InterleavedZeroBubble'))).toBe(27);
  });

  test('the prediction speaks of 27.3 % and of 24 forwards of work', async () => {
    expect(((await value('bubble', 'halves')) * 100).toFixed(1)).toBe('27.3');
    expect(lesson.predictions['halves']?.question).toContain('27.3 %');
    const [bubble, makespan] = [
      await value('bubble', 'halves', by('InterleavedZeroBubble')),
      await value('makespan', 'halves', by('InterleavedZeroBubble')),
    ];
    expect(makespan * (1 - bubble)).toBeCloseTo(24, 9);
  });

  test('is also shorter in the run, where messages take time', async () => {
    expect(await value('bubbleOfRun', 'halves', by('InterleavedZeroBubble'))).toBeLessThan(
      await value('bubbleOfRun', 'halves'),
    );
  });

  test('every rank keeps what only rank 0 kept under 1F1B', async () => {
    for (const rank of [0, 1, 2, 3] as const) {
      expect(await value(`peakLive:${rank}`, 'halves', by('1F1B'))).toBe(4 - rank);
      expect(await value(`peakLive:${rank}`, 'halves', by('InterleavedZeroBubble'))).toBe(4);
    }
  });
});

describe('stages in a V', () => {
  test('two stages per rank and split backwards: 3/51, in a loop as in a V', async () => {
    for (const name of ['InterleavedZeroBubble', ...V])
      expect(await value('bubble', 'turn', by(name)), name).toBeCloseTo(3 / 51, 12);
  });

  test('at the turn of a V nothing is sent: rank 3 has both stages', async () => {
    expect(await value('messages', 'turn')).toBe(2 * 7 * 8);
    for (const name of V) expect(await value('messages', 'turn', by(name)), name).toBe(2 * 6 * 8);
  });

  test('rank 0 has the first stage and the last, rank 3 the two in the middle', async () => {
    const { trace } = await facts('turn', by('ZBVZeroBubble'));
    const stagesOf = (rank: number) =>
      new Set(
        must(trace, 'a step').events.flatMap(({ action, device, kind }) =>
          kind === 'compute' && device === rank && action ? [action.stage] : [],
        ),
      );
    expect([...stagesOf(0)].sort()).toEqual([0, 7]);
    expect([...stagesOf(3)].sort()).toEqual([3, 4]);
  });
});

test('no schedule changes the training, to the bit', async () => {
  const loss = await value('loss:2', 'loops', by('1F1B'));
  expect(await value('loss:2', 'loops', by('Interleaved1F1B'))).toBe(loss);
  expect(await value('loss:2', 'halves', by('InterleavedZeroBubble'))).toBe(loss);
  for (const name of ['InterleavedZeroBubble', ...V]) expect(await value('loss:2', 'turn', by(name)), name).toBe(loss);
});

describe('tasks', () => {
  test('a schedule of one’s own counts when its bubble is halved, and trains to the same loss', async () => {
    const { split } = lesson.tasks;
    const [solution] = must(split, 'the task').solution;
    const changes = typeof solution === 'object' && 'set' in solution ? solution.set : {};
    expect(await value('bubble', 'own')).toBeCloseTo(1 / 3, 12);
    expect(split?.done(await facts('own'))).toBe(false);
    expect(split?.done(await facts('own', by('InterleavedZeroBubble')))).toBe(false);
    expect(split?.done(await facts('own', changes))).toBe(true);
    expect(await value('bubble', 'own', changes)).toBeCloseTo(1 / 7, 12);
    expect(await value('loss:1', 'own', changes)).toBe(await value('loss:1', 'own'));
  });

  test('under 4 % with fewer than 200 messages: a V, with sixteen micro-batches', async () => {
    const { least } = lesson.tasks;
    const at = (pipeline: string, microBatches: string) => facts('turn', { pipeline, microBatches });
    expect(least?.done(await at('ZBVZeroBubble', '8'))).toBe(false);
    expect(least?.done(await at('InterleavedZeroBubble', '16'))).toBe(false);
    expect(least?.done(await at('ZBVZeroBubble', '16'))).toBe(true);
  });
});
