import { expect, test } from 'vitest';
import { ticksTo, topOf } from './loss-frame';

test('axes of round numbers, whatever the losses are', () => {
  expect(ticksTo(topOf(0.69), 4)).toEqual([0, 0.2, 0.4, 0.6]);
  expect(ticksTo(topOf(2.3), 4)).toEqual([0, 1, 2]);
  expect(ticksTo(topOf(0), 4)).toEqual([0, 0.5, 1]);
  expect(ticksTo(10, 2)).toEqual([0, 5, 10]);
  expect(ticksTo(1234, 4)).toEqual([0, 500, 1000]);
});
