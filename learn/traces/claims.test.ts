/**
 * What the lesson on traces says of its recordings and of the steps that the reader makes.
 *
 * @module-tag rest: src/recordings has tests of its own; the claims of other lessons are asked in the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { kind as launched } from '../../src/lessons/drawing/kinds/launched-steps';
import { kind } from '../../src/lessons/drawing/kinds/recording';
import { claimsOf } from '../../src/lessons/testing/claims';
import { drawingOf, holdsForAllKnobs } from '../../src/lessons/testing/drawn';
import { lesson } from './lesson';

const { value, facts } = claimsOf(lesson);
const { open, find, fill } = lesson.tasks;
const apart = drawingOf(lesson, 'apart', kind);
const three = drawingOf(lesson, 'three', kind);
const gpu = drawingOf(lesson, 'gpu', launched);
const GPU = 'cuda-ahead,cuda-small';
const ABOUT = 'ddp4-slow2,small2,exposed2';
const SLOW = { recording: 'ddp4-slow2' };
const SMALL = { recording: 'small2' };
const EXPOSED = { recording: 'exposed2' };
const late = (rank: number) => ({ slow: `!(rank(rank:${rank},factor:3))` });

describe('recordings', () => {
  test('the first: rank 2 alone never waits, and is late because of its loader', async () => {
    expect(await three.value('lateRank', SLOW)).toBe(2);
    const waits = await Promise.all([0, 1, 2, 3].map((rank) => three.value(`waiting:${rank}`, SLOW)));
    expect(waits.map((us) => us > 1000)).toEqual([true, true, false, true]);
    expect(waits[2]).toBe(0);
    const { says } = await three.draw({ ...SLOW, look: 'idle' });
    expect(says).toMatch(/Rank 2 spends .* inside slow_loader/);
  });

  test('the second: almost all computing, in thousands of short operators', async () => {
    for (const rank of [0, 1]) {
      const [computes, step] = await Promise.all(['compute', 'step'].map((id) => three.value(`${id}:${rank}`, SMALL)));
      expect((computes ?? 0) / (step ?? 1)).toBeGreaterThan(0.9);
    }
    expect(await three.value('operators', SMALL)).toBeGreaterThan(2000);
    expect(await three.value('operatorTime', SMALL)).toBeLessThan(10);
    expect(await apart.value('operatorTime')).toBeGreaterThan(2 * (await three.value('operatorTime', SMALL)));
  });

  test('the third: communication in the open, nearly none of it hidden, and transfer more than waiting', async () => {
    expect(await three.value('exposed', EXPOSED)).toBeGreaterThan(0.4);
    expect(await three.value('hidden', EXPOSED)).toBeLessThan(0.1);
    expect(await three.value('transfer:0', EXPOSED)).toBeGreaterThan(await three.value('waiting:0', EXPOSED));
    expect(await three.value('exposed', SMALL)).toBeLessThan(0.05);
  });

  test('each kind of time counts once, and together they are the step', async () => {
    for (const recording of ['ddp2', ...ABOUT.split(',')]) {
      const { values } = await (recording === 'ddp2' ? apart : three).draw({ recording });
      const of = (id: string) => values.find((own) => own.id === id)?.value ?? Number.NaN;
      for (const rank of [0, 1]) {
        const parts = ['compute', 'waiting', 'transfer', 'idle'].map((id) => of(`${id}:${rank}`));
        expect(parts.reduce((sum, us) => sum + us)).toBeCloseTo(of(`step:${rank}`), 3);
      }
    }
  });

  test('both pictures hold for all knobs', async () => {
    await holdsForAllKnobs(kind, apart, 'ddp2');
    await holdsForAllKnobs(kind, three, ABOUT);
  });
});

describe('recordings of a GPU', () => {
  test('the CPU launches a step of the large MLP in milliseconds, and its kernels run long after', async () => {
    const [launch, step, lag] = await Promise.all(['launch', 'step', 'lag'].map((id) => gpu.value(id)));
    expect(launch).toBeCloseTo(2337.835, 2);
    expect((step ?? 0) / 1000).toBeCloseTo(71.6, 1);
    // More than a step behind.
    expect(lag).toBeGreaterThan(step ?? Number.NaN);
    expect(await gpu.value('busy')).toBeGreaterThan(0.99);
  });

  test('with small layers the GPU waits for launches nearly all the time', async () => {
    const small = { recording: 'cuda-small' };
    expect(await gpu.value('busy', small)).toBeLessThan(0.05);
    expect(await gpu.value('kernels', small)).toBeGreaterThan(200);
    expect(await gpu.value('launch', small)).toBeGreaterThan(await gpu.value('step', small));
  });

  test('the picture holds for both', () => holdsForAllKnobs(launched, gpu, GPU));
});

test('the slow rank is the one that spends least time in all-reduces', async () => {
  for (const slow of [0, 2, 3]) {
    const spent = await Promise.all([0, 1, 2, 3].map((rank) => value(`exposedTime:${rank}`, 'jobs', late(slow))));
    expect(spent.indexOf(Math.min(...spent))).toBe(slow);
    for (const [rank, us] of spent.entries()) if (rank !== slow) expect(us).toBeGreaterThan(40 * (spent[slow] ?? 0));
  }
});

test('with a cap of 1 KiB most of the communication is hidden', async () => {
  expect(await value('hidden', 'exposed')).toBeGreaterThan(0.6);
});

test('sixteen times the rows take the same step, in the same kernels', async () => {
  const [few, many] = [await value('stepTime', 'kernels'), await value('stepTime', 'kernels', { batch: '512' })];
  expect(few).toBeCloseTo(88, 0);
  expect(many / few).toBeLessThan(1.02);
  expect(await value('rowsPerSecond', 'kernels')).toBe(363_350);
  expect(await value('kernels', 'kernels', { batch: '512' })).toBe(await value('kernels', 'kernels'));
});

describe('predictions and tasks', () => {
  test.for([
    ['longest', [false, true, false]],
    ['rows', [false, false, true]],
  ] as const)('of the choices of %s one is right', async ([id, right]) => {
    const { answer, guess } = must(lesson.predictions[id], id);
    const [us, all] = [await value(answer.of, answer.figure, answer.with), await facts(answer.figure, answer.with)];
    expect(guess.kind === 'choice' && guess.choices.map((choice) => choice.right(us, all))).toEqual(right);
  });

  test('open: not at the start; done with one bucket, or after backward', async () => {
    expect(open?.done(await facts('exposed'))).toBe(false);
    expect(open?.done(await facts('exposed', { bucket: '0.0625KiB' }))).toBe(false);
    expect(open?.done(await facts('exposed', { overlap: '0' }))).toBe(true);
    expect(open?.done(await facts('exposed', { bucket: '4KiB' }))).toBe(true);
  });

  test('find: the third job alone', async () => {
    const done = await Promise.all([3, 0, 2].map(async (rank) => find?.done(await facts('jobs', late(rank)))));
    expect(done).toEqual([false, false, true]);
  });

  test('fill: with the most rows alone', async () => {
    const rows = ['32', '128', '512', '2048'];
    const done = await Promise.all(rows.map(async (batch) => fill?.done(await facts('kernels', { batch }))));
    expect(done).toEqual([false, false, false, true]);
  });
});
