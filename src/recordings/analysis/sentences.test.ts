/** The sentence about the rank that is last most often, for one such rank and for several. */
import { expect, test } from 'vitest';
import type { RecordedStraggler } from '../recording-analysis';
import { lastSentence } from './sentences';

const late = (counts: readonly number[]): readonly RecordedStraggler[] =>
  counts.map((last, rank) => ({
    rank,
    last,
    of: 3,
    lateSteps: 0,
    steps: 3,
    byUs: 0,
    causedUs: 0,
    cause: undefined,
  }));

test.each([
  [[0, 2, 1], 'rank 1 is last most often, at 2 of 3 collectives.'],
  [[0, 1, 1, 0, 1], 'ranks 1, 2 and 4 are each last at 1 of 3 collectives, the others at fewer.'],
  [[1, 1, 1], 'all are last equally often, at 1 of 3 collectives.'],
])('last at %j', (counts, said) => {
  expect(lastSentence(late(counts))).toBe(said);
});
