/** A schedule is known again by its orders alone. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { recognise } from './recognise';
import { makeSchedule } from './schedule';
import { fromCsv, toCsv } from './schedule-text';
import { schedulesOfAnySize } from './testing/any-schedule';

test('a schedule written as CSV is recognised', () =>
  fc.assert(
    fc.property(schedulesOfAnySize, (size) => {
      const name = recognise(fromCsv(toCsv(makeSchedule(size))));
      // Where two schedules are one and the same, the first name is given.
      const found = name && makeSchedule({ ...size, name });
      expect(found?.orders).toEqual(makeSchedule(size).orders);
    }),
  ));

test('the usual sizes have one name each, and a changed order has none', () => {
  const at = (name: Parameters<typeof makeSchedule>[0]['name'], stagesPerRank: number) =>
    makeSchedule({ name, ranks: 4, stagesPerRank, microBatches: 8 });
  expect(recognise(at('GPipe', 1))).toBe('GPipe');
  expect(recognise(at('1F1B', 1))).toBe('1F1B');
  for (const name of ['LoopedBFS', 'Interleaved1F1B', 'InterleavedZeroBubble', 'ZBVZeroBubble', 'DualPipeV'] as const)
    expect(recognise(at(name, 2))).toBe(name);
  const [first = [], ...others] = at('GPipe', 1).orders;
  const [a, b, ...rest] = first;
  const swapped = [b, a, ...rest].filter((cell) => cell !== undefined);
  expect(recognise({ ...at('GPipe', 1), orders: [swapped, ...others] })).toBeUndefined();
});
