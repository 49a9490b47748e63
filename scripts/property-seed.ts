/**
 * Set-up of every test file: property tests draw from one fixed seed, so that a run of the suite is the same today and
 * tomorrow. `npm run properties` sets another one, or as many cases as one likes; a case that failed is kept as an
 * example beside its property, or in fuzz/regressions.json.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

const SEED = 20_260_101;
const seed = Number(process.env['LOCKSTEP_PROPERTY_SEED'] ?? SEED);
const factor = Number(process.env['LOCKSTEP_PROPERTY_FACTOR'] ?? 1);

// The library is loaded where it is used: most files have no properties.
const { testPath } = expect.getState();
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes("'fast-check'")) {
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed, ...(factor === 1 ? {} : { numRuns: 100 * factor }) });
}
