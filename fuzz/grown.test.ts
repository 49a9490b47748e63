/** Tries each file that was made to cost its reader more than its size once; the fuzzers draw from the same rows. */
import { test } from 'vitest';
import { GROWN_RECORDINGS, GROWN_REPORTS } from './arbitraries/grown';
import { tryRecording } from './try-recordings';
import { tryReport } from './try-reports';

const BYTES = 100_000;

for (const how of Object.keys(GROWN_RECORDINGS))
  test(`import: ${how}`, () => tryRecording({ grown: { how, bytes: BYTES } }));
for (const how of Object.keys(GROWN_REPORTS))
  test(`compare: ${how}`, () => tryReport({ grown: { how, bytes: BYTES } }));
