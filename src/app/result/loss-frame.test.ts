import { expect, test } from 'vitest';
import { STEP_TICKS, stepTicks, ticksTo, topOf } from './loss-frame';

test('axes of round numbers, whatever the losses are', () => {
  expect(ticksTo(topOf(0.69), 4)).toEqual([0, 0.2, 0.4, 0.6]);
  expect(ticksTo(topOf(2.3), 4)).toEqual([0, 1, 2]);
  expect(ticksTo(topOf(0), 4)).toEqual([0, 0.5, 1]);
  expect(ticksTo(10, 2)).toEqual([0, 5, 10]);
  expect(ticksTo(1234, 4)).toEqual([0, 500, 1000]);
});

test('an axis of steps has whole steps, however few there are', () => {
  expect(stepTicks(1, 4)).toEqual([0, 1]);
  expect(stepTicks(3, 4)).toEqual([0, 1, 2, 3]);
  expect(stepTicks(10, 20)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(stepTicks(1234, 4)).toEqual([0, 500, 1000]);
  expect(STEP_TICKS.every(Number.isInteger)).toBe(true);
});
