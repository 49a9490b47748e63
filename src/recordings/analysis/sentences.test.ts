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
  [[0, 2, 1], 'rank 1 joins last most often: in 2 of 3 collectives.'],
  [[0, 1, 1, 0, 1], 'ranks 1, 2 and 4 each join last in 1 of 3 collectives, the other ranks in fewer.'],
  [[1, 1, 1, 0, 0, 0, 0, 0], 'ranks 0, 1 and 2 each join last in 1 of 3 collectives, the other ranks in fewer.'],
  [[1, 1, 1], 'all ranks join last equally often: in 1 of 3 collectives.'],
])('last at %j', (counts, said) => {
  // A rank that is never last is no straggler.
  const stragglers = late(counts).filter(({ last }) => last > 0);
  expect(lastSentence(stragglers, counts.length)).toBe(said);
});
