import { expect, test } from 'vitest';
import { wholePercents } from './format';

test.each([
  [
    [0.38, 0.62, 0],
    [38, 62, 0],
  ],
  [
    [1, 1, 1],
    [34, 33, 33],
  ],
  [
    [0.005, 0.985, 0.01],
    [1, 98, 1],
  ],
  [
    [0, 0, 0],
    [0, 0, 0],
  ],
])('whole percents of %o add up to the whole: %o', (shares, percents) => {
  expect(wholePercents(shares)).toEqual(percents);
});
