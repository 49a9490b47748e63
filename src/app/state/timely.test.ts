/** A listener gets the first change after a pause at once, quick changes every 90 ms, and always the last change. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timely } from './timely';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function counter() {
  let now = 0;
  let tell: () => void = () => undefined;
  const told: number[] = [];
  const value = timely(
    (changed) => {
      tell = changed;
      return () => {
        tell = () => undefined;
      };
    },
    () => now,
    { everyMs: 90, same: Object.is },
  );
  const stop = value.subscribe(() => told.push(value.value));
  const put = (next: number) => {
    now = next;
    tell();
  };
  return { put, told, stop };
}

test('the listener gets a change after a pause before anything else happens', () => {
  const { put, told } = counter();
  put(1);
  expect(told).toEqual([1]);
  vi.advanceTimersByTime(90);
  // Frames in which nothing changed do not make the next change late.
  put(1);
  vi.advanceTimersByTime(10);
  put(2);
  expect(told).toEqual([1, 2]);
});

test('of quick changes the listener gets one every 90 ms, and the last one', () => {
  const { put, told } = counter();
  for (let i = 1; i <= 20; i++) {
    put(i);
    vi.advanceTimersByTime(10);
  }
  expect(told).toEqual([1, 9, 18]);
  vi.advanceTimersByTime(90);
  expect(told).toEqual([1, 9, 18, 20]);
});

test('the listener gets nothing after the end', () => {
  const { put, told, stop } = counter();
  put(1);
  put(2);
  stop();
  vi.advanceTimersByTime(200);
  expect(told).toEqual([1]);
});
