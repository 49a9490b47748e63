/**
 * Set-up of every test file: property tests draw from one fixed seed, so that every run of the tests draws the same
 * cases. `npm run properties` sets another seed, or more cases. A case that failed is kept as an example next to its
 * property, or in fuzz/regressions.json.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

const SEED = 20_260_101;
const seed = Number(process.env['LOCKSTEP_PROPERTY_SEED'] ?? SEED);
const factor = Number(process.env['LOCKSTEP_PROPERTY_FACTOR'] ?? 1);

// Loads the library only for files that use it: most files have no properties.
const { testPath } = expect.getState();
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes("'fast-check'")) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed, ...(factor === 1 ? {} : { numRuns: 100 * factor }) });
}
