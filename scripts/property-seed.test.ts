/** Every run of the tests draws the same cases: properties use the seed of property-seed.ts, not the clock. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

test('fast-check has a seed', () => {
  const { seed } = fc.readConfigureGlobal();
  expect(seed).toBe(Number(process.env['LOCKSTEP_PROPERTY_SEED'] ?? 20_260_101));
  const drawn = (): number[] => fc.sample(fc.integer(), { numRuns: 20, ...(seed === undefined ? {} : { seed }) });
  expect(drawn()).toEqual(drawn());
});
