/** The history of the difference, its headline value, and the verdict from the curves. */
import { describe, expect, test } from 'vitest';
import type { DifferenceAt } from '../../../protocol/snapshot';
import { nextCompared } from '../../../training/control/compared-steps';
import { headline, isCompared, withDifference } from '../../state/difference-history';
import { growthColumns } from './growth-plot';
import { judge, pairsOf } from './growth-words';

const at = (step: number, value: number): DifferenceAt => ({ step, value });
const history = (steps: readonly number[], of = (step: number) => 1e-9 * step) =>
  steps.reduce<readonly DifferenceAt[]>((list, step) => withDifference(list, at(step, of(step))), []);

describe('the history', () => {
  test('a long history keeps the first hundred steps, the compared steps and the newest, and stays short', () => {
    const list = history(
      Array.from({ length: 200_001 }, (_, step) => (step < 3000 ? step : step * 3)).filter((s) => s <= 200_000),
    );
    const steps = new Set(list.map(({ step }) => step));
    for (let step = 0; step <= 100; step++) expect(steps.has(step)).toBe(true);
    for (let step = 100; step < 3000; step = nextCompared(step)) expect(steps.has(step)).toBe(true);
    expect(list.at(-1)?.step).toBe(199_998);
    expect(list.length).toBeLessThan(1200);
  });

  test('a step that runs again replaces its earlier entry', () => {
    expect(withDifference(history([0, 1, 2, 3]), at(2, 7))).toEqual([at(0, 0), at(1, 1e-9), at(2, 7)]);
  });

  test('the headline is about the first hundred steps, also of a long or resumed run', () => {
    expect(headline([])).toBeUndefined();
    expect(headline(history([0, 1, 40]))).toMatchObject({ step: 40, done: 40 });
    expect(headline(history([0, 50, 100, 110, 5000]))).toMatchObject({ step: 100, done: 100 });
    expect(headline(history([500, 550, 600, 610]))).toMatchObject({ step: 600, done: 100 });
  });

  test('compared steps are distinguished from others', () => {
    expect([1, 2, 3, 5, 100, 110, 111, 121].filter(isCompared)).toEqual([1, 2, 5, 100, 110, 121]);
  });
});

describe('the verdict', () => {
  const control = [at(1, 5e-8), at(10, 1e-7), at(100, 2e-7), at(5000, 3e-1)];

  test('if both curves grow alike the cause is rounding', () => {
    const own = [at(0, 0), at(1, 3e-8), at(10, 6e-8), at(100, 4e-7), at(5000, 7e-1)];
    expect(judge(own, control, undefined)).toEqual({
      verdict: 'rounding',
      text:
        'After 100 steps the run is 4.0e-7 away from one device and the control 2.0e-7: nothing is parallel in the control, so rounding alone ' +
        'explains the difference. After 5,000 steps the differences are 0.7 and 0.3: training amplifies both alike.',
    });
  });

  test('a difference a thousand times larger has another cause, which the settings may name', () => {
    const own = [at(0, 0), at(100, 2e-4), at(5000, 7e-1)];
    expect(judge(own, control, 'the hook').text).toBe(
      'After 100 steps the run is 2.0e-4 away from one device and the control 2.0e-7, 1,000 times less: rounding is not the cause of the difference. The settings explain it: the hook.',
    );
    expect(judge(own, control, undefined).text).toMatch(/No setting explains it\.$/);
    expect(judge([at(0, 0), at(100, Number.NaN)], control, undefined).verdict).toBe('other');
  });

  test('a control run that differs much itself proves nothing, except for the steps before', () => {
    const far = [at(1, 5e-3), at(100, 0.2)];
    expect(judge([at(0, 0), at(1, 6e-3), at(100, 0.3)], far, 'batch norm')).toMatchObject({
      verdict: 'masked',
      text: expect.stringMatching(
        /^After 1 step .* a difference with another cause would not show\. The settings explain it: batch norm\.$/,
      ),
    });
    const late = [at(10, 1e-7), at(100, 0.2)];
    expect(judge([at(0, 0), at(10, 2e-7), at(100, 0.3)], late, undefined)).toMatchObject({
      verdict: 'rounding',
      text: expect.stringMatching(/^After 10 steps .* After 100 steps the differences are 0\.3 and 0\.2/),
    });
  });

  test('nothing to explain, and nothing known yet', () => {
    expect(judge([at(0, 0), at(1, 0), at(2, 0)], control, undefined).verdict).toBe('none');
    expect(judge([at(0, 0)], [], undefined).verdict).toBe('open');
    expect(judge([at(0, 0), at(3, 1e-7)], control, undefined).verdict).toBe('open');
  });

  test('of a resumed run the first hundred steps after the resume count', () => {
    const own = [at(500, 0), at(600, 3e-7)];
    expect(judge(own, [at(600, 2e-7)], undefined).text).toContain('After 100 steps the run is 3.0e-7');
  });
});

test('pairs are the steps of both runs; the chart has all steps, and no zero on a logarithmic axis', () => {
  const own = [at(0, 0), at(1, 3e-8), at(4, 1e-7)];
  const control = [at(1, 5e-8), at(10, Number.NaN)];
  expect(pairsOf(own, control)).toEqual([{ step: 1, own: 3e-8, control: 5e-8 }]);
  expect(growthColumns(own, control)).toEqual([
    [0, 1, 4, 10],
    [null, 3e-8, 1e-7, null],
    [null, 5e-8, null, null],
  ]);
});
