import { expect, test } from 'vitest';
import { isFirstTime, isFirstVisit } from './first-visit';

test('only once, and never if the browser can store nothing', () => {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  expect([1, 2, 3].map(() => isFirstVisit({ localStorage }))).toEqual([true, false, false]);
  expect([1, 2].map(() => isFirstTime({ localStorage }, 'another'))).toEqual([true, false]);
  const closed = {
    get localStorage(): Storage {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    },
  };
  expect(isFirstVisit(closed)).toBe(false);
});
