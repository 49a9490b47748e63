/** Counts the runs, and waits for the device after intervals of about the same length. */
import { expect, it, vi } from 'vitest';
import { timed } from './timed';

it('counts runs per second of a steady runner, however short the round', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const counts: number[] = [];
  const run = async (count: number) => {
    counts.push(count);
    now += 10 * count;
  };
  expect(await timed(run, 1000)).toBeCloseTo(100);
  expect(counts.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 16]);
  counts.length = 0;
  // The number of runs between two waits is determined only once.
  expect(await timed(run, 1)).toBeCloseTo(100);
  expect(counts).toEqual([16]);
  vi.restoreAllMocks();
});
