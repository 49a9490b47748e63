import { expect, test } from 'vitest';
import { KEPT_TEXTS, type WrittenText, withText } from './text-history';

const after = (steps: readonly number[]): readonly WrittenText[] =>
  steps.reduce<readonly WrittenText[]>((texts, step) => withText(texts, { step, sampledText: `at ${step}` }), []);
const steps = (texts: readonly WrittenText[]) => texts.map(({ step }) => step);

test('a model without sampled text adds nothing', () => {
  expect(withText([], { step: 3, sampledText: undefined })).toEqual([]);
});

test('the first and the newest texts stay; older texts are kept less and less often', () => {
  const texts = after(Array.from({ length: 1000 }, (_, i) => i));
  expect(texts).toHaveLength(KEPT_TEXTS);
  expect(texts.at(0)?.step).toBe(0);
  expect(texts.at(-1)).toEqual({ step: 999, text: 'at 999' });
  const kept = steps(texts);
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  expect(kept.some((step) => step > 0 && step < 500)).toBe(true);
});

test('a step that runs again replaces its text and removes later ones', () => {
  expect(steps(withText(after([0, 10, 20]), { step: 10, sampledText: 'again' }))).toEqual([0, 10]);
  expect(withText(after([0, 10, 20]), { step: 10, sampledText: 'again' }).at(-1)?.text).toBe('again');
});

test('a text that is there already is not repeated', () => {
  expect(steps(withText(after([0, 10]), { step: 20, sampledText: 'at 10' }))).toEqual([0, 10]);
});
