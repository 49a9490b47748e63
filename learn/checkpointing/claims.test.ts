/**
 * What the lesson on activation checkpointing says, held against runs.
 *
 * @module-tag rest: the runs that it speaks of are held by graph-passes.test.ts; the claims of other lessons are asked
 * in the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { kind } from '../../src/lessons/drawing/kinds/memory-over-time';
import { memoryCurves } from '../../src/lessons/record/memory-over-time';
import { claimsOf } from '../../src/lessons/testing/claims';
import { momentsOf } from '../../src/trace/moments/moments';
import { lesson } from './lesson';

const { value, facts, run } = claimsOf(lesson);
const SEGMENTS = ['2', '3', '4', '6', '8', '12'];
const rightOf = (id: string) => {
  const guess = must(lesson.predictions[id], id).guess;
  return guess.kind === 'choice' ? guess.choices.map(({ right }) => right) : [];
};

describe('forward runs twice', () => {
  test('the kernels that run again are forward kernels of the first segment, in backward, before its gradients', async () => {
    const { trace } = await facts('walk');
    const { events } = must(trace, 'a step');
    const again = events.filter(({ writes }) => writes.some((name) => name.endsWith('.again')));
    expect(again.length).toBeGreaterThan(2);
    const forward = events.filter(({ phase, kind }) => phase === 'forward' && kind === 'compute');
    for (const { phase, module, name } of again) {
      expect(phase).toBe('backward');
      expect(Number(module)).toBeLessThan(6);
      expect(forward.some((event) => event.module === module && event.name === name)).toBe(true);
    }
    const last = Math.max(...again.map((event) => events.indexOf(event)));
    const first = Math.min(...again.map((event) => events.indexOf(event)));
    const backward = (test: (module: number) => boolean) =>
      events.flatMap(({ phase, module, writes }, index) =>
        phase === 'backward' && module !== '' && test(Number(module)) && writes.some((name) => name.includes('.grad'))
          ? [index]
          : [],
      );
    expect(Math.min(...backward((module) => module < 5))).toBeGreaterThan(last);
    expect(Math.max(...backward((module) => module > 6))).toBeLessThan(first);
  });

  test('the loss has the same bits with any number of segments', async () => {
    const losses = await Promise.all(
      ['none', '2', '3'].map(async (checkpoint) => value('loss:1', 'walk', { checkpoint, at: '2' })),
    );
    expect(new Set(losses).size).toBe(1);
    const parallel = await Promise.all(['none', '4'].map((checkpoint) => value('loss', 'free', { checkpoint })));
    expect(new Set(parallel).size).toBe(1);
  });
});

describe('memory against time', () => {
  test('the peak falls to a valley around the square root of the layers, and rises again', async () => {
    const peaks = await Promise.all(SEGMENTS.map((checkpoint) => value('allocated', 'trade', { checkpoint })));
    const [two = 0, three = 0, four = 0, six = 0, eight = 0, twelve = 0] = peaks;
    expect(four).toBe(Math.min(...peaks));
    expect(six).toBe(four);
    expect(two).toBeGreaterThan(three);
    expect(three).toBeGreaterThan(four);
    expect(eight).toBeGreaterThan(six);
    expect(twelve).toBe(two);
  });

  test('the activations follow s + n / s', async () => {
    const layer = 4 * 32 * 256;
    for (const checkpoint of SEGMENTS) {
      const floor = await value('heldMemory', 'trade', { checkpoint });
      const layers = ((await value('allocated', 'trade', { checkpoint })) - floor) / layer;
      const segments = Number(checkpoint);
      expect(Math.abs(layers - (segments + 24 / segments))).toBeLessThan(2);
    }
  });

  test('the constants of tasks and predictions are those of the runs', async () => {
    const all = await value('allocated', 'trade', { checkpoint: 'none' });
    expect(all).toBe(1_057_024);
    expect(await value('allocated', 'trade', { checkpoint: '4' })).toBe(565_504);
    expect(await value('stepTime', 'free', { checkpoint: 'none' })).toBeCloseTo(1795, -1);
    expect(all - (await value('heldMemory', 'trade', { checkpoint: 'none' }))).toBeGreaterThan(0.8 * all);
  });

  test('no layer runs forward more than twice, so a step is at most about a third longer', async () => {
    const before = await value('stepTime', 'trade', { checkpoint: 'none' });
    const forward = await value('phaseTime:forward', 'trade', { checkpoint: 'none' });
    expect(forward / before).toBeGreaterThan(0.3);
    expect(forward / before).toBeLessThan(0.37);
    for (const checkpoint of SEGMENTS) {
      const longer = (await value('stepTime', 'trade', { checkpoint })) - before;
      expect(longer).toBeGreaterThan(0);
      expect(longer).toBeLessThan(forward);
    }
  });

  test('exactly one choice is right: it rises again', async () => {
    const answer = await facts('trade', { checkpoint: '12' });
    const bytes = await value('allocated', 'trade', { checkpoint: '12' });
    expect(rightOf('twelve').map((right) => right(bytes, answer))).toEqual([false, false, true]);
  });
});

describe('when it is free', () => {
  test('over Ethernet the step takes as long as before, in little more than half of the memory', async () => {
    for (const checkpoint of ['2', '4'])
      expect(await value('stepTime', 'free', { checkpoint })).toBeCloseTo(
        await value('stepTime', 'free', { checkpoint: 'none' }),
        6,
      );
    const [none, four] = [await value('allocated', 'free'), await value('allocated', 'free', { checkpoint: '4' })];
    expect(four / none).toBeLessThan(0.6);
    const answer = await facts('free', { checkpoint: '4' });
    const us = await value('stepTime', 'free', { checkpoint: '4' });
    expect(rightOf('ethernet').map((right) => right(us, answer))).toEqual([false, false, true]);
  });

  test('over PCI Express it takes about a fifth longer', async () => {
    const hardware = 'pcie4';
    const four = await value('stepTime', 'free', { hardware, checkpoint: '4' });
    const none = await value('stepTime', 'free', { hardware });
    expect(four / none).toBeGreaterThan(1.1);
    expect(four / none).toBeLessThan(1.25);
  });
});

describe('tasks', () => {
  const { again, twice, price } = lesson.tasks;

  test('again: only where a forward kernel runs in backward', async () => {
    const { trace } = await facts('walk');
    const moments = momentsOf(must(trace, 'a step'));
    const done = async (moment: number) => again?.done(await facts('walk', { moment: String(moment) }));
    expect(moments.length).toBeGreaterThan(27);
    expect(await done(14)).toBe(false);
    expect(await Promise.all([24, 25, 26].map(done))).toContain(false);
    expect(await done(25)).toBe(true);
    expect(again?.done(await facts('walk', { checkpoint: 'none', moment: '25' }))).toBe(false);
  });

  test('twice: with some numbers of segments, not with the ends of the slider', async () => {
    expect(twice?.done(await facts('trade'))).toBe(false);
    for (const [checkpoint, done] of [
      ['none', false],
      ['2', false],
      ['4', true],
      ['12', false],
    ] as const)
      expect(twice?.done(await facts('trade', { batch: '512', checkpoint })), checkpoint).toBe(done);
  });

  test('price: on the fast network, with segments', async () => {
    expect(price?.done(await facts('free'))).toBe(false);
    expect(price?.done(await facts('free', { checkpoint: '4' }))).toBe(false);
    expect(price?.done(await facts('free', { hardware: 'pcie4' }))).toBe(false);
    expect(price?.done(await facts('free', { hardware: 'pcie4', checkpoint: '4' }))).toBe(true);
  });
});

test('the script keeps the inputs of segments with checkpoint_sequential', async () => {
  const { listing } = await run('trade');
  const text = listing.map((line) => line.text).join('\n');
  expect(text).toContain('return checkpoint_sequential(self, 4, x, use_reentrant=False)');
});

test('the saw is drawn from the runs: its peaks and its seconds are theirs', async () => {
  const spec = must(lesson.drawings?.['saw'], 'the drawing');
  const runs = await Promise.all(
    SEGMENTS.concat('none').map(async (checkpoint) => [checkpoint, await run('trade', { checkpoint })] as const),
  );
  const data = memoryCurves(new Map(runs));
  for (const [checkpoint] of runs) {
    const { values, says } = kind.draw({ settings: { checkpoint }, width: 640, about: '', data });
    const drawn = (id: string) => values.find((own) => own.id === id)?.value ?? Number.NaN;
    // Read kernel by kernel; the page's peak includes what is held while the batch is copied.
    expect(drawn('peak') / (await value('allocated', 'trade', { checkpoint }))).toBeCloseTo(1, 2);
    expect(drawn('stepTime')).toBeCloseTo(await value('stepTime', 'trade', { checkpoint }), -1);
    expect(drawn('again') > 0).toBe(checkpoint !== 'none');
    expect(says).toContain(checkpoint === 'none' ? 'All activations are kept' : `${checkpoint} segments`);
  }
  expect(Object.keys(spec.runs ?? {}).sort()).toEqual(kind.knobs('')[0]?.values.toSorted());
});
