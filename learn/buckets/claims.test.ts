/** What the lesson says of buckets, asked of runs. */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { measure } from '../../src/lessons/facts/quantities';
import type { Changes } from '../../src/lessons/lesson';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);
const EACH = { bucket: '0.0625KiB' };
const SOME = { bucket: '1KiB' };
const ONE = { bucket: '4KiB' };

async function traceOf(figure: string, changes?: Changes) {
  return must((await facts(figure, changes)).trace, 'a step');
}

/** Where the all-reduce of a bucket first sends, and where backward ends, in events of rank 0 on the modelled clock. */
async function timesOf(changes?: Changes) {
  const { events, modelled } = await traceOf('overlap', changes);
  const rows = events
    .map((event, k) => ({ event, time: must(modelled[k], 'a time') }))
    .filter((r) => r.event.device === 0);
  const backward = rows.filter(({ event }) => event.phase === 'backward' && event.kind === 'compute');
  const sends = rows.filter(({ event }) => event.kind === 'send');
  return {
    backwardEnds: Math.max(...backward.map(({ time }) => time.startUs + time.durUs)),
    starts: [...new Set(sends.map(({ event }) => event.collective?.bucket))].map((bucket) =>
      Math.min(...sends.filter(({ event }) => event.collective?.bucket === bucket).map(({ time }) => time.startUs)),
    ),
  };
}

describe('overlap', () => {
  test('with one bucket nothing is hidden, and it starts when backward is over', async () => {
    expect(await value('buckets', 'overlap')).toBe(1);
    expect(await value('hidden', 'overlap')).toBeCloseTo(0, 10);
    expect(await value('exposedTime', 'overlap')).toBeCloseTo(await value('commTime', 'overlap'), 6);
    const { starts, backwardEnds } = await timesOf();
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(backwardEnds);
  });

  test('with three buckets the first is sent early and the last is not, with the same bytes', async () => {
    expect(await value('buckets', 'overlap', SOME)).toBe(3);
    expect(await value('bytesPerRank', 'overlap', SOME)).toBe(await value('bytesPerRank', 'overlap'));
    expect(await value('stepTime', 'overlap', SOME)).toBeLessThan(0.9 * (await value('stepTime', 'overlap')));
    const { starts, backwardEnds } = await timesOf(SOME);
    expect(starts.map((us) => us < backwardEnds)).toEqual([true, true, false]);
  });

  test('the last bucket is never hidden, whatever the cap', async () => {
    for (const bucket of ['0.0625KiB', '1KiB', '2KiB', '4KiB']) {
      const { starts, backwardEnds } = await timesOf({ bucket });
      expect(starts.at(-1)).toBeGreaterThanOrEqual(backwardEnds);
    }
  });

  test('seven buckets are hardly better than three', async () => {
    const [seven, three] = [await value('stepTime', 'overlap', EACH), await value('stepTime', 'overlap', SOME)];
    expect(await value('buckets', 'overlap', EACH)).toBe(7);
    expect(Math.abs(seven / three - 1)).toBeLessThan(0.01);
  });

  test('several buckets after backward save almost no time', async () => {
    const late = await value('stepTime', 'overlap', { ...SOME, overlap: '0' });
    expect(late / (await value('stepTime', 'overlap'))).toBeGreaterThan(0.99);
    expect(await value('hidden', 'overlap', { ...SOME, overlap: '0' })).toBeLessThan(0.1);
  });

  test('computing and sending take as long as a step with one bucket', async () => {
    const sum = (await value('computeTime', 'overlap')) + (await value('exposedTime', 'overlap'));
    expect(sum / (await value('stepTime', 'overlap'))).toBeCloseTo(1, 2);
  });
});

describe('the order', () => {
  const bucketsSent = async (at: string) =>
    new Set((await traceOf('order', { at })).events.flatMap(({ collective }) => collective?.bucket ?? [])).size;

  test('the first step sends one bucket, the second and third the rebuilt ones', async () => {
    expect(await bucketsSent('1')).toBe(1);
    expect(await bucketsSent('2')).toBe(3);
    expect(await bucketsSent('3')).toBe(3);
  });

  test('buckets are filled from the last layer on, and a parameter is never cut', async () => {
    const { info } = await facts('order', { at: '2' });
    const { buckets, parameters } = must(info, 'a run');
    const rebuilt = must(buckets?.rebuilt, 'buckets');
    expect(rebuilt.map(({ bytes }) => bytes)).toEqual([1156, 1088, 192]);
    const sizes = parameters.map(({ shape }) => 4 * shape.reduce((a, b) => a * b, 1));
    // The last two layers: 64 + 4 and 1,024 + 64 bytes.
    expect(sizes.slice(-4).reduce((a, b) => a + b, 0)).toBe(rebuilt[0]?.bytes);
    expect(sizes.slice(0, 2).reduce((a, b) => a + b, 0)).toBe(rebuilt.at(-1)?.bytes);
  });

  test('with a cap of 64 B each weight of a middle layer has its own bucket', async () => {
    expect(await value('bucketBytes:2', 'overlap', EACH)).toBe(4 * 16 * 16);
  });
});

describe('small buckets', () => {
  test('over Ethernet time grows with the number of buckets', async () => {
    const start = 8.4;
    const perBucket = start + 6 * 30;
    for (const [changes, n] of [
      [EACH, 7],
      [SOME, 3],
      [ONE, 1],
    ] as const) {
      expect(await value('buckets', 'small', changes)).toBe(n);
      expect((await value('commTime', 'small', changes)) / (n * perBucket)).toBeCloseTo(1, 1);
    }
  });

  test('over Ethernet one bucket gives the shortest step; on the slow machine it gives the longest', async () => {
    const steps = (figure: string) =>
      Promise.all([EACH, SOME, { bucket: '2KiB' }, ONE].map((changes) => value('stepTime', figure, changes)));
    const [ethernet, slow] = [await steps('small'), await steps('overlap')];
    expect(ethernet.indexOf(Math.min(...ethernet))).toBe(3);
    expect(slow.indexOf(Math.max(...slow))).toBe(3);
  });
});

describe('predictions and tasks', () => {
  test('over Ethernet seven buckets take several times as long', async () => {
    const { guess } = must(lesson.predictions['ethernet'], 'a prediction');
    const known = await facts('small', EACH);
    const us = must(measure(known, 'stepTime'), 'a time');
    expect(guess.kind === 'choice' && guess.choices.map(({ right }) => right(us, known))).toEqual([false, false, true]);
    expect(us / (await value('stepTime', 'small', ONE))).toBeGreaterThan(2);
    // The constant of lesson.ts.
    expect(await value('stepTime', 'small', ONE)).toBeLessThanOrEqual(289);
    expect(await value('stepTime', 'small', ONE)).toBeGreaterThan(280);
  });

  test.each([
    ['hide', SOME],
    ['rebuilt', { at: '2' }],
    ['shortest', ONE],
  ])('%s is not done at the beginning and done by its solution', async (id, changes) => {
    const task = must(lesson.tasks[id], id);
    expect(task.done(await facts(task.figure))).toBe(false);
    expect(task.done(await facts(task.figure, changes))).toBe(true);
  });

  test('fewer ranks do not solve the shortest step; late messages and many buckets do not solve hiding', async () => {
    expect(lesson.tasks['shortest']?.done(await facts('small', { ...ONE, world: '2' }))).toBe(false);
    expect(lesson.tasks['hide']?.done(await facts('overlap', { ...SOME, overlap: '0' }))).toBe(false);
    expect(lesson.tasks['hide']?.done(await facts('overlap', EACH))).toBe(false);
  });
});
