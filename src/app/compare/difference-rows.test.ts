import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../protocol/snapshot';
import { differencesOf, type SideFacts, weightDifference } from './difference-rows';
import { joinLosses } from './join-losses';

const facts = (changed: Partial<SideFacts>): SideFacts => ({
  stepUs: 100,
  bytes: 0,
  messages: 0,
  hidden: undefined,
  peakBytes: 1024,
  loss: 0.5,
  samples: new Set([1, 2, 3]),
  ...changed,
});
const differenceIn = (name: string, a: Partial<SideFacts>, b: Partial<SideFacts>) =>
  differencesOf(facts(a), facts(b), 'modelled').find((row) => row.name === name)?.difference;

describe('the table of differences', () => {
  it('says how many times as large B’s number is', () => {
    expect(differenceIn('Step time', { stepUs: 100 }, { stepUs: 350 })).toBe('× 3.5');
    expect(differenceIn('Step time', { stepUs: 350 }, { stepUs: 100 })).toBe('÷ 3.5');
    expect(differenceIn('Step time', {}, {})).toBe('the same');
  });

  it('says which run sends if only one of them sends', () => {
    expect(differenceIn('Bytes', { bytes: 4248 }, {})).toBe('only A');
    expect(differenceIn('Messages', {}, { messages: 24 })).toBe('only B');
  });

  it('gives hidden communication in percentage points, and nothing if nothing is sent', () => {
    expect(differenceIn('Hidden', { hidden: 0.9 }, { hidden: 0.25 })).toBe('−65 points');
    expect(differenceIn('Hidden', { hidden: 0.9 }, {})).toBe('–');
  });

  it('says whether both train on the same rows', () => {
    expect(differenceIn('Samples', {}, { samples: new Set([3, 2, 1]) })).toBe('the same');
    expect(differenceIn('Samples', {}, { samples: new Set([3, 4, 5]) })).toBe('1 in common');
  });

  it('signs the difference of the losses', () => {
    expect(differenceIn('Loss', { loss: 0.5 }, { loss: 0.25 })).toBe('−0.25');
    expect(differenceIn('Loss', { loss: 0.5 }, { loss: 0.501 })).toBe('+1.0e-3');
  });
});

describe('max |w_A - w_B|', () => {
  const snapshotOf = (step: number, ...parameters: readonly (readonly number[])[]) =>
    ({ step, parameters: parameters.map((values) => Float32Array.from(values)) }) as unknown as Snapshot;

  it('is the largest over all parameters', () => {
    expect(weightDifference(snapshotOf(3, [1, 2], [3]), snapshotOf(3, [1, 2.5], [2]))).toBe(1);
    expect(weightDifference(snapshotOf(3, [1]), snapshotOf(3, [1]))).toBe(0);
  });

  it('is undefined for other steps and other nets, and NaN if a weight is NaN', () => {
    expect(weightDifference(snapshotOf(3, [1]), snapshotOf(4, [1]))).toBeUndefined();
    expect(weightDifference(snapshotOf(3, [1]), snapshotOf(3, [1, 2]))).toBeUndefined();
    expect(weightDifference(snapshotOf(3, [1, Number.NaN, 1]), snapshotOf(3, [1, 1, 3]))).toBeNaN();
    expect(weightDifference(undefined, snapshotOf(3, [1]))).toBeUndefined();
  });
});

describe('the losses of both', () => {
  const records = (...losses: readonly number[]) =>
    losses.map((loss, microBatch) => ({ loss, microBatch, step: microBatch, epoch: 0, perRank: [loss] }));

  it('share an axis of steps, however many micro-batches a step has', () => {
    const { steps, a, b } = joinLosses(
      { losses: records(4, 3, 2), accumulate: 1 },
      { losses: records(8, 7), accumulate: 2 },
    );
    expect(steps).toEqual([0.5, 1, 2, 3]);
    expect(a).toEqual([null, 4, 3, 2]);
    expect(b).toEqual([8, 7, null, null]);
  });
});
