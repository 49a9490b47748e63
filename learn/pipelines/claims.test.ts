/**
 * What the lesson says of pipelines, asked of runs.
 *
 * @module-tag rest: the runs that it speaks of are held by pipeline.test.ts; the claims of other lessons are asked in
 * the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import type { Facts } from '../../src/lessons/facts/facts';
import { recordRun } from '../../src/lessons/record/record-run';
import { linkOf } from '../../src/lessons/run-link';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

const cutInto = (microBatches: string) => ({ microBatches });
const by = (pipeline: string) => ({ pipeline });

/** Modelled microseconds of the kernels of a stage's forward of micro-batch 0. */
function forwardKernels({ trace }: Facts, stage: number): readonly number[] {
  const { events, modelled } = must(trace, 'a step');
  return events.flatMap(({ kind, action }, index) =>
    kind === 'compute' && action?.kind === 'F' && action.stage === stage && action.microBatch === 0
      ? [modelled[index]?.durUs ?? 0]
      : [],
  );
}

describe('the bubble', () => {
  test('is (P - 1) / (M + P - 1), counted in the schedule that ran', async () => {
    for (const count of ['1', '2', '4', '8', '16']) {
      const bubble = await value('bubble', 'cut', cutInto(count));
      expect(bubble).toBeCloseTo(3 / (Number(count) + 3), 12);
      expect(await value('bubbleByFormula', 'cut', cutInto(count))).toBeCloseTo(bubble, 12);
    }
  });

  test('with one micro-batch a rank waits for three quarters of the time', async () => {
    expect(await value('bubble', 'cut')).toBe(0.75);
    expect(await value('makespan', 'cut', cutInto('8'))).toBe(33);
  });

  test('the literature divides by the useful time: 3/8 of it is 3/11 of the step', async () => {
    const bubble = await value('bubble', 'cut', cutInto('8'));
    expect(bubble).toBeCloseTo(3 / 11, 12);
    expect(bubble / (1 - bubble)).toBeCloseTo(3 / 8, 12);
  });

  test('of the run is a little larger, since messages take time, and falls with more micro-batches', async () => {
    const run = await Promise.all(
      ['1', '2', '4', '8', '16'].map((count) => value('bubbleOfRun', 'cut', cutInto(count))),
    );
    expect(run).toEqual(run.toSorted((a, b) => b - a));
    expect(run[3]).toBeGreaterThan(3 / 11);
    expect(run[3]).toBeLessThan(3 / 11 + 0.1);
  });

  test('rank 0 computes no gradient of the data', async () => {
    const { trace } = await facts('cut', cutInto('8'));
    const flops = (stage: number) =>
      must(trace, 'a step').events.reduce(
        (sum, event) => sum + (event.action?.kind === 'B' && event.action.stage === stage ? event.flops : 0),
        0,
      );
    expect(flops(0)).toBeLessThan(0.8 * flops(1));
    expect(flops(1)).toBe(flops(2));
  });

  test('a net this small gets slower on A100s the more it is cut: its kernels take as long for two rows', async () => {
    const changes = (count: string) => ({ microBatches: count, hardware: 'pcie4' });
    const times = await Promise.all(['1', '4', '16'].map((count) => value('stepTime', 'cut', changes(count))));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const [whole, parts] = [await facts('cut', changes('1')), await facts('cut', changes('16'))];
    expect(whole.info?.config.batchSize).toBe(32);
    const [longest, shortest] = [forwardKernels(whole, 1), forwardKernels(parts, 1)];
    expect(longest.length).toBeGreaterThan(0);
    longest.forEach((us, index) => {
      expect(us / must(shortest[index], 'the same kernel')).toBeLessThan(1.1);
    });
  });
});

describe('what is trained', () => {
  const NET = 'mode=pipeline&pp=2&pipeline=GPipe&data=gauss&samples=64&test=0&opt=sgd&momentum=0&lr=0.1&batch=32&at=4';
  const difference = async (model: string, count: number) => {
    const { store } = await recordRun(linkOf(`${NET}&model=${model}&microBatches=${count}&compare=1`));
    return must(store.getState().snapshot?.differenceFromSingle, 'a run on one device beside it');
  };

  test('is the same for any number of micro-batches, within rounding', async () => {
    expect(await difference('linear8-tanh-linear8-tanh-linear1', 1)).toBe(0);
    expect(await difference('linear8-tanh-linear8-tanh-linear1', 4)).toBeLessThan(1e-6);
  });

  test('with BatchNorm it is not: the statistics come from each micro-batch', async () => {
    expect(await difference('linear8-bn1d-tanh-linear1', 1)).toBeLessThan(1e-6);
    expect(await difference('linear8-bn1d-tanh-linear1', 4)).toBeGreaterThan(1e-4);
  });

  test('by 1F1B is what GPipe trains, to the bit', async () => {
    expect(await value('loss:2', 'memory', by('1F1B'))).toBe(await value('loss:2', 'memory'));
  });
});

describe('memory', () => {
  test('GPipe keeps all micro-batches on every rank, 1F1B at most min(M, S - s)', async () => {
    for (const count of [4, 8, 16])
      for (const rank of [0, 1, 2, 3] as const) {
        const changes = { microBatches: String(count) };
        expect(await value(`peakLive:${rank}`, 'memory', changes)).toBe(count);
        expect(await value(`peakLive:${rank}`, 'memory', { ...changes, ...by('1F1B') })).toBe(
          Math.min(count, 4 - rank),
        );
      }
  });

  test('1F1B has the same bubble and reserves less for activations', async () => {
    expect(await value('bubble', 'memory', by('1F1B'))).toBe(await value('bubble', 'memory'));
    expect(await value('activationMemory:0', 'memory', by('1F1B'))).toBeLessThan(
      0.7 * (await value('activationMemory:0', 'memory')),
    );
  });

  test('exactly one choice is right: the bubble stays as it is', async () => {
    const guess = lesson.predictions['sooner']?.guess;
    const known = await facts('memory', by('1F1B'));
    const bubble = await value('bubble', 'memory', by('1F1B'));
    expect(guess?.kind === 'choice' && guess.choices.map(({ right }) => right(bubble, known))).toEqual([
      false,
      true,
      false,
    ]);
  });
});

test('two replicas: one all-reduce per stage and step, over the two ranks of the stage', async () => {
  const { trace } = await facts('memory', { ...by('1F1B'), dp: '2', bucket: 'default' });
  expect(await value('allReduces', 'memory', { ...by('1F1B'), dp: '2', bucket: 'default' })).toBe(4);
  const groups = must(trace, 'a step').events.flatMap(({ collective }) => collective?.group?.ranks.join() ?? []);
  expect([...new Set(groups)].sort()).toEqual(['0,1', '2,3', '4,5', '6,7']);
  // With the last backward of the stage: those of the other micro-batches are over.
  const { events } = must(trace, 'a step');
  for (const device of [0, 2, 4, 6]) {
    const first = events.findIndex((event) => event.device === device && event.collective !== undefined);
    const before = events.findLastIndex(
      ({ device: of, kind, action }) =>
        of === device && kind === 'compute' && action?.kind === 'B' && action.microBatch < 7,
    );
    expect(before).toBeGreaterThan(0);
    expect(first).toBeGreaterThan(before);
  }
});

describe('tasks', () => {
  test('sixteen micro-batches bring the bubble under 20 %, eight do not', async () => {
    const { under20 } = lesson.tasks;
    expect(under20?.done(await facts('cut'))).toBe(false);
    expect(under20?.done(await facts('cut', cutInto('8')))).toBe(false);
    expect(under20?.done(await facts('cut', cutInto('16')))).toBe(true);
  });

  test('half the activations without a larger bubble: by another order, not by fewer micro-batches', async () => {
    const { halve } = lesson.tasks;
    expect(halve?.done(await facts('memory'))).toBe(false);
    expect(halve?.done(await facts('memory', cutInto('4')))).toBe(false);
    expect(halve?.done(await facts('memory', cutInto('16')))).toBe(false);
    expect(halve?.done(await facts('memory', by('1F1B')))).toBe(true);
    expect(halve?.done(await facts('memory', { ...by('1F1B'), ...cutInto('16') }))).toBe(true);
  });

  test('a schedule of one’s own counts when it keeps less than GPipe does, and trains to the same loss', async () => {
    const { build } = lesson.tasks;
    const [solution] = must(build, 'the task').solution;
    const changes = typeof solution === 'object' && 'set' in solution ? solution.set : {};
    expect(build?.done(await facts('own'))).toBe(false);
    expect(build?.done(await facts('own', by('1F1B')))).toBe(false);
    const asGPipe = ['0F0,0F1,0F2,0F3,0B0,0B1,0B2,0B3', '1F0,1F1,1F2,1F3,1B0,1B1,1B2,1B3'];
    const lastRank = '2F0,2B0,2F1,2B1,2F2,2B2,2F3,2B3';
    const half = { pipeline: 'own', actions: [...asGPipe, lastRank].join('\n') };
    expect(build?.done(await facts('own', half))).toBe(false);
    expect(build?.done(await facts('own', changes))).toBe(true);
    expect(await value('loss:1', 'own', changes)).toBe(await value('loss:1', 'own'));
  });
});
