import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createNewestOnly } from './newest-only';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const asking = (answerMs: number) => {
  const asked: number[] = [];
  const answers: number[] = [];
  const errors: unknown[] = [];
  const newest = createNewestOnly<number, number>({
    everyMs: 50,
    ask: (input) => {
      asked.push(input);
      return new Promise((resolve, reject) =>
        setTimeout(() => (input < 0 ? reject(new Error('no')) : resolve(10 * input)), answerMs),
      );
    },
    onAnswer: (answer) => answers.push(answer),
    onError: (error) => errors.push(error),
  });
  return { newest, asked, answers, errors };
};

test('asks at once, then only with the newest input, at most every 50 ms', async () => {
  const { newest, asked, answers } = asking(1);
  for (let i = 1; i <= 5; i++) newest.ask(i);
  expect(asked).toEqual([1]);
  await vi.advanceTimersByTimeAsync(49);
  expect(asked).toEqual([1]);
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual([1, 5]);
  expect(answers).toEqual([10, 50]);
});

test('a slow answer is waited for', async () => {
  const { newest, asked } = asking(300);
  newest.ask(1);
  newest.ask(2);
  await vi.advanceTimersByTimeAsync(290);
  expect(asked).toEqual([1]);
  await vi.advanceTimersByTimeAsync(20);
  expect(asked).toEqual([1, 2]);
});

test('a dropped question gets no answer, and a refusal does not stop later questions', async () => {
  const { newest, answers, errors } = asking(10);
  newest.ask(1);
  newest.drop();
  newest.ask(-1);
  await vi.advanceTimersByTimeAsync(100);
  newest.ask(3);
  await vi.advanceTimersByTimeAsync(100);
  expect(answers).toEqual([30]);
  expect(errors).toHaveLength(1);
});
