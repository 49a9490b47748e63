/** What the lesson says of the ring, asked of runs. */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { measure } from '../../src/lessons/facts/quantities';
import type { Changes } from '../../src/lessons/lesson';
import { claimsOf } from '../../src/lessons/testing/claims';
import type { LabResult } from '../../src/protocol/lab';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

async function labOf(figure: string, changes?: Changes): Promise<LabResult> {
  return must((await facts(figure, changes)).lab, 'a lab');
}

/** After a round: [rank][chunk], how many ranks' values are in it. */
const counts = (lab: LabResult, round: number): readonly (readonly number[])[] =>
  must(lab.rounds[round - 1], 'a round').state[0]?.map((tiles) =>
    tiles.map(({ contributors }) => contributors.toString(2).replaceAll('0', '').length),
  ) ?? [];

describe('the ring', () => {
  test('there are as many chunks as ranks, and each rank sends one chunk per round', async () => {
    for (const ranks of ['2', '4', '8']) {
      const lab = await labOf('ring', { ranks });
      expect(lab.buffers[0]?.chunks).toHaveLength(Number(ranks));
      for (const { transfers } of lab.rounds) {
        expect(transfers.map(({ from }) => from).sort()).toEqual(Array.from({ length: Number(ranks) }, (_, r) => r));
        for (const { from, to } of transfers) expect(to).toBe((from + Number(ranks) - 1) % Number(ranks));
      }
    }
  });

  test('the first chunk goes from rank 3 over 2 and 1 to 0, where it is complete', async () => {
    const lab = await labOf('ring');
    const way = lab.rounds.slice(0, 3).map(({ transfers }) => transfers.find(({ source }) => source.offset === 0));
    expect(way.map((transfer) => [transfer?.from, transfer?.to])).toEqual([
      [3, 2],
      [2, 1],
      [1, 0],
    ]);
    expect([1, 2, 3].map((round) => Math.max(...counts(lab, round).map(([first = 0]) => first)))).toEqual([2, 3, 4]);
    expect(counts(lab, 3)[0]?.[0]).toBe(4);
  });

  test('after half of the rounds each rank has one complete chunk: rank r has chunk r', async () => {
    for (const ranks of [2, 4, 8]) {
      const lab = await labOf('ring', { ranks: String(ranks) });
      const complete = counts(lab, lab.rounds.length / 2).map((own) => own.flatMap((n, k) => (n === ranks ? [k] : [])));
      expect(complete).toEqual(Array.from({ length: ranks }, (_, rank) => [rank]));
      const before = lab.rounds.length / 2 - 1;
      if (before > 0) expect(counts(lab, before).flat()).not.toContain(ranks);
    }
  });

  test('in the second half of the rounds nothing is added', async () => {
    const { rounds } = await labOf('ring');
    const how = rounds.map(({ transfers }) => new Set(transfers.map(({ apply }) => apply === 'put')));
    expect(how.map((puts) => [...puts])).toEqual([[false], [false], [false], [true], [true], [true]]);
  });

  test('all ranks end with the same bits', async () => {
    expect((await labOf('ring')).check.sameBytes).toBe(true);
    expect(await value('divergence', 'step')).toBe(0);
  });
});

describe('bytes', () => {
  test('each rank sends 2 (N - 1) / N of the gradient, and never twice the gradient', async () => {
    for (const ranks of [2, 3, 4, 6, 8]) {
      const { bytesSent } = await labOf('cost', { ranks: String(ranks) });
      expect(bytesSent).toEqual(bytesSent.map(() => (2 * (ranks - 1) * 192) / ranks));
    }
  });

  test('through rank 0 that rank sends and receives (N - 1) times the gradient', async () => {
    const { rounds, bytesSent } = await labOf('cost', { ranks: '8', algorithm: 'naive' });
    const received = rounds.flatMap(({ transfers }) =>
      transfers.filter(({ to }) => to === 0).map(({ bytes }) => bytes),
    );
    expect(received.reduce((a, b) => a + b, 0)).toBe(7 * 192);
    expect(bytesSent[0]).toBe(7 * 192);
  });

  test('both ways send the same number of bytes in total', async () => {
    for (const ranks of ['2', '4', '8'])
      expect(await value('bytesInAll', 'cost', { ranks })).toBe(
        await value('bytesInAll', 'cost', { ranks, algorithm: 'naive' }),
      );
  });
});

describe('rounds', () => {
  test('a hundred times the bytes take hardly longer', async () => {
    const [small, large] = [await value('stepTime', 'price'), await value('stepTime', 'price', { length: '4800' })];
    expect(await value('gradientBytes', 'price', { length: '4800' })).toBe(
      100 * (await value('gradientBytes', 'price')),
    );
    expect(large / small).toBeGreaterThan(1);
    expect(large / small).toBeLessThan(1.05);
  });

  test('halving and doubling has the same bytes in fewer rounds, and is quicker', async () => {
    const changes = { algorithm: 'halvingDoubling' };
    expect(await value('bytesPerRank', 'price', changes)).toBe(await value('bytesPerRank', 'price'));
    expect(await value('rounds', 'price', changes)).toBe(6);
    expect(await value('rounds', 'price')).toBe(14);
    expect(await value('stepTime', 'price', changes)).toBeLessThan(await value('stepTime', 'price'));
  });

  test('the first guess is too high for most: four to eight ranks is a sixth more, not twice', async () => {
    expect((await value('bytesPerRank', 'cost', { ranks: '8' })) / (await value('bytesPerRank', 'cost'))).toBeCloseTo(
      7 / 6,
      10,
    );
  });

  test('exactly one choice is right: hardly longer', async () => {
    const guess = lesson.predictions['hundred']?.guess;
    const known = await facts('price', { length: '4800' });
    const us = must(measure(known, 'stepTime'), 'a time');
    expect(guess?.kind === 'choice' && guess.choices.map(({ right }) => right(us, known))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('in a step', () => {
  test('chunks do not end where parameters do', async () => {
    const { trace, info } = await facts('step');
    // Gradients are in the bucket in the order in which they became ready.
    const sizes = [...must(info, 'a run').parameters].reverse().map(({ shape }) => shape.reduce((a, b) => a * b, 1));
    const ends = sizes.map((_, k) => sizes.slice(0, k + 1).reduce((a, b) => a + b, 0));
    const rounds = must(trace, 'a step').events.filter(({ kind, collective }) => kind === 'send' && collective);
    expect(rounds).toHaveLength(24);
    const chunk = must(rounds[0]?.bytes, 'bytes') / 4;
    expect(ends.length).toBeGreaterThan(4);
    expect(ends).not.toContain(chunk);
    expect(ends).not.toContain(2 * chunk);
  });
});

describe('tasks', () => {
  test.each([
    ['complete', 'ring', { ranks: '8', round: '7' }],
    ['burden', 'cost', { ranks: '8', algorithm: 'naive' }],
    ['half', 'step', { moment: '18' }],
  ])('%s is not done at the beginning and done by its solution', async (id, figure, changes) => {
    const task = must(lesson.tasks[id], id);
    expect(task.solution).toEqual([{ set: changes }]);
    expect(task.done(await facts(figure))).toBe(false);
    expect(task.done(await facts(figure, changes))).toBe(true);
  });

  test('one round earlier or later is not the answer', async () => {
    for (const round of ['6', '8'])
      expect(lesson.tasks['complete']?.done(await facts('ring', { ranks: '8', round }))).toBe(false);
    for (const moment of ['17', '19']) expect(lesson.tasks['half']?.done(await facts('step', { moment }))).toBe(false);
  });
});
