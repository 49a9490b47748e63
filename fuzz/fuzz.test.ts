/**
 * The fuzzers. In `npm run test:all` each fuzzer tries some hundred cases of one fixed seed, and the cases of
 * regressions.json. `npm run fuzz` runs longer, and sets the environment variables that this file reads.
 *
 * @module-tag rest: grown.test.ts reads the files that cost most; damaged.test.ts, permalink.test.ts and reading-
 * bounds.test.ts have inputs that are refused.
 */
import { describe, test } from 'vitest';
import { TARGETS } from './targets';

const minutes = Number(process.env['LOCKSTEP_FUZZ_MINUTES'] ?? 0);
/** Number of cases of each fuzzer; 0: the number in its row. */
const wanted = Number(process.env['LOCKSTEP_FUZZ_CASES'] ?? 0);
const only = process.env['LOCKSTEP_FUZZ_ONLY'];
const seed = Number(process.env['LOCKSTEP_FUZZ_SEED'] ?? 20_260_101);
const chosen = TARGETS.filter(({ name }) => only === undefined || only === name);
const eachMs = (minutes * 60_000) / Math.max(1, chosen.length);

const howMuch = (cases: number) =>
  wanted > 0
    ? { numRuns: wanted }
    : minutes === 0
      ? { numRuns: cases }
      : { numRuns: 1e9, interruptAfterTimeLimit: eachMs, markInterruptAsFailure: false };

describe('runs, or is refused with a sentence', () => {
  for (const { name, cases, check } of chosen)
    test(name, { timeout: wanted > 0 ? 7_200_000 : 300_000 + 2 * eachMs }, () => check({ seed, ...howMuch(cases) }));
});
