import { describe, expect, it } from 'vitest';
import { compareReports } from './compare-reports';
import { comparisonText } from './comparison-text';
import { readReport } from './read-report';

const compare = (a: object, b: object, options = {}) =>
  compareReports(readReport({ losses: [], ...a }, 'A'), readReport({ losses: [], ...b }, 'B'), options);
const verdict = (a: object, b: object, options = {}): string => compare(a, b, options).verdict.sentence;
const weights = (...values: (number | null)[]) => ({ w: { shape: [values.length], values } });

it('says how closely the final tensors agree', () => {
  const same = (loss: number, ...values: number[]) =>
    verdict({ losses: [1, 1], weights: weights(1, 2) }, { losses: [1, loss], weights: weights(...values) });
  expect(same(1, 1, 2)).toBe('The same run: 2 losses are equal, and so is 1 final tensor.');
  expect(same(1.0000002, 1, 2)).toMatch(/^The same run: 2 losses agree to 2e-7, and 1 final tensor is equal\.$/);
  expect(same(1.0000002, 1, 2.0000004)).toMatch(/ 2e-7, and so does 1 final tensor to \S+\.$/);
});

describe('losses', () => {
  it('of the same run agree within the bar', () => {
    const { verdict, losses } = compare({ losses: [0.7, 0.6] }, { losses: [0.7, 0.6000002] });
    expect(verdict).toEqual({ same: true, sentence: 'The same run: 2 losses agree to 3.3e-7.' });
    expect(losses.worst).toMatchObject({ step: 1, a: 0.6, b: 0.6000002 });
    expect(verdict.sentence).not.toContain('part');
  });

  it('differ from the first step beyond the bar, even if a later step differs more', () => {
    const { verdict, losses } = compare({ losses: [0.7, 0.6, 0.5] }, { losses: [0.7, 0.601, 0.6] });
    expect(verdict.sentence).toBe(
      'The runs first differ at step 1: the loss is 0.6 in A and 0.601 in B. The loss before agrees.',
    );
    expect([losses.parts?.step, losses.worst?.step]).toEqual([1, 2]);
  });

  it('are held against the bar that is asked for', () => {
    expect(compare({ losses: [1] }, { losses: [1.05] }, { bar: 0.1 }).verdict.same).toBe(true);
    expect(compare({ losses: [1] }, { losses: [1.05] }, { bar: 0.01 }).verdict.same).toBe(false);
  });

  it('may differ more after many steps than after one', () => {
    const late = (step: number) => compare({ losses: [{ step, loss: 1 }] }, { losses: [{ step, loss: 1.0001 }] });
    expect(late(0).verdict.same).toBe(false);
    expect(late(100).verdict.same).toBe(true);
  });

  it('that are NaN are equal if both are NaN, and differ if only one is', () => {
    expect(compare({ losses: [1, null] }, { losses: [1, null] }).verdict.same).toBe(true);
    expect(verdict({ losses: [1, null] }, { losses: [1, 2] })).toBe(
      'The runs first differ at step 1: the loss is NaN in A and 2 in B. The loss before agrees.',
    );
  });

  it('are compared up to the end of the shorter report', () => {
    const { losses, verdict } = compare({ losses: [1, 2, 3] }, { losses: [1, 2] });
    expect(verdict.same).toBe(true);
    expect([losses.count, losses.onlyA, losses.onlyB]).toEqual([2, 1, 0]);
    expect(compare({ losses: [1] }, {}).verdict).toEqual({
      same: 'unknown',
      sentence: 'There is nothing to compare: B has no losses.',
    });
  });

  it('of micro-batches are averaged where the other side has one for each step', () => {
    const records = [1, 3, 5, 7].map((loss, i) => ({ step: Math.floor(i / 2), microBatch: i, loss }));
    const { losses, verdict } = compare({ config: { accumulate: 2 }, losses: records }, { losses: [2, 6] });
    expect(verdict.same).toBe(true);
    expect(losses.notes).toEqual(['A has 2 losses for each step; their mean is compared.']);
  });

  it('are compared for each rank', () => {
    const row = (...perRank: (number | null)[]) => ({ losses: [{ loss: 1, perRank }] });
    expect(compare(row(1, 1), row(1, 1.1)).losses.perRank).toMatchObject([{ relative: 0 }, { rank: 1, a: 1, b: 1.1 }]);
    expect(compare(row(1, null), row(1, null)).losses.perRank.map(({ relative }) => relative)).toEqual([0, 0]);
    expect(compare(row(1, 1), row(1)).losses.notes).toEqual([
      'Losses of single ranks are not compared: A has 2 of them, B 1.',
    ]);
  });
});

describe('weights', () => {
  const losses = { losses: [1] };
  it('are compared by length, and by their worst element', () => {
    const { weights: found } = compare(
      { ...losses, weights: weights(1, 2, 4) },
      { ...losses, weights: weights(1, 2.5, 4) },
    );
    expect(found.tensors).toMatchObject([{ name: 'w', index: 1, a: 2, b: 2.5, absolute: 0.5, relative: 0.125 }]);
  });

  it('can part where losses agree', () => {
    expect(verdict({ ...losses, weights: weights(1, 2, 4) }, { ...losses, weights: weights(1, 2.5, 4) })).toBe(
      'Not the same run: 1 loss is equal, but one weight tensor differs at the end; w differs most, by 0.1 of its norm.',
    );
  });

  it('of other shapes, missing tensors and NaN are reported in words', () => {
    const found = compare(
      { ...losses, weights: { w: { shape: [2], values: [1, 2] }, x: { shape: [1], values: [null] } } },
      {
        ...losses,
        weights: {
          w: { shape: [1, 2], values: [1, 2] },
          x: { shape: [1], values: [1] },
          y: { shape: [], values: [1] },
        },
      },
    );
    expect(found.weights.notes).toEqual(['w is [2] in A and [1, 2] in B.', 'Only B has y.']);
    expect(found.verdict.same).toBe(false);
    expect(comparisonText(found)).toContain('no finite number');
  });

  it('are compared by hashes if a report has only hashes', () => {
    const hashed = (hash: string) => ({ ...losses, parametersSha256: { w: hash } });
    expect(compare(hashed('a'), hashed('a')).weights.notes[0]).toContain('the one tensor has the same bits');
    expect(compare(hashed('a'), hashed('b')).weights.notes[0]).toContain('1 of 1 tensor has other bits');
    expect(compare(hashed('a'), losses).weights.notes).toEqual(['No final weights in B.']);
    const three = (last: string) => ({ ...losses, parametersSha256: { u: 'a', v: 'a', w: last } });
    expect(compare(three('a'), three('a')).weights.notes[0]).toContain('all 3 tensors have the same bits');
    expect(compare(three('a'), three('b')).weights.notes[0]).toContain('1 of 3 tensors has other bits');
    expect(verdict(three('a'), three('b'))).toContain('but one final tensor differs in some bits.');
  });
});

describe('settings and figures', () => {
  it('shows bubbles and peaks of two schedules side by side', () => {
    const { figures } = compare(
      { pipeline: { bubble: { counted: 3 / 11 }, peakActivations: { counted: [4, 3, 2, 1] } } },
      { pipeline: { bubble: { counted: 1 / 17 }, peakActivations: { counted: [8, 8, 8, 8] } } },
    );
    expect(figures.map(({ what, a, b, same }) => [what, a, b, same])).toEqual([
      ['bubble of the schedule', '27.27 %', '5.88 %', undefined],
      ['activations kept at once, by rank', '4 3 2 1', '8 8 8 8', undefined],
    ]);
  });

  it('lists settings that differ, with defaults filled in', () => {
    const { settings } = compare(
      { losses: [1], config: { seed: 1 } },
      { losses: [1], config: { steps: 100, seed: 0 } },
    );
    expect(settings).toEqual([{ path: 'seed', a: 1, b: 0 }]);
    expect(compare({ losses: [1], config: {} }, { losses: [1] }).settings).toBeUndefined();
  });

  it('says of each number whether it must be the same', () => {
    const { figures } = compare(
      {
        bytes: { payloadPerStep: { all_reduce: 400 } },
        time: { measuredStepsPerSecond: 10 },
        memory: [{ peakBytes: 7 }],
      },
      { bytes: { payloadPerStep: { all_reduce: 404 } }, time: { measuredStepsPerSecond: 99 } },
    );
    expect(figures.map(({ what, a, b, same }) => [what, a, b, same])).toEqual([
      ['all_reduce, per step', '400 B', '404 B', false],
      ['steps per second', '10.00', '99.00', undefined],
      ['memory, fullest device', '7 B', 'not in the report', undefined],
    ]);
  });
});
