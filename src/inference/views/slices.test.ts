/** Which weights a view in slices shows at which time. */
import { expect, test } from 'vitest';
import type { ModelState } from '../evaluator';
import { SlicedView } from './slices';

const stateOf = (id: number): ModelState => new Map([['id', Float32Array.of(id)]]);

/** Four slices of 10 ns; the result is the id of the weights with which the view began. */
const view = () =>
  new SlicedView(function* (state: ModelState) {
    for (let i = 0; i < 4; i++) yield 10;
    return state.get('id')?.[0];
  });

test('a view that fits into the budget has these weights', () => {
  const own = view();
  expect([1, 2, 3].map((id) => own.take(stateOf(id), 100))).toEqual([1, 2, 3]);
});

test('a view that does not fit is continued from snapshot to snapshot; meanwhile the last result is shown', () => {
  const own = view();
  expect([1, 2, 3, 4, 5, 6, 7].map((id) => own.take(stateOf(id), 20))).toEqual([undefined, undefined, 1, 1, 1, 4, 4]);
});

test('without a limit the view has these weights, whatever was being computed', () => {
  const own = view();
  expect(own.take(stateOf(1), 10)).toBeUndefined();
  expect(own.take(stateOf(2), Number.POSITIVE_INFINITY)).toBe(2);
  expect(own.take(stateOf(3), 10)).toBe(2);
});
