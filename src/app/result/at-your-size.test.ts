import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LESSON_OF_MODE } from './at-your-size';

test.each(Object.entries(LESSON_OF_MODE))('mode %s leads to lesson %s, which has a calculator', (_, lesson) => {
  const text = readFileSync(new URL(`../../../learn/${lesson}/lesson.mdx`, import.meta.url), 'utf8');
  expect(text).toMatch(/<AtYourSize>|<AtYourSize \/>/);
});
