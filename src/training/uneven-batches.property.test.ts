/**
 * Uneven inputs of DDP, whatever the batches come to: the run trains and its report is made, or the settings are
 * refused with their keys and values. Where a rank has no batch at all the run used to look for Programs that no step
 * has.
 *
 * @module-tag rest: script-losses.test.ts and ddp-stops.test.ts have uneven inputs.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { runConfig } from '../headless/run';
import type { ConfigInput } from '../protocol/config';

const base = {
  device: 'cpu',
  mode: 'ddp',
  steps: 3,
  data: { type: 'xor', samples: 40 },
  model: { layers: [{ type: 'Linear', in: 2, out: 1 }] },
} satisfies ConfigInput;

const uneven = fc.record({
  samplesPerRank: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 4 }),
  batchSize: fc.integer({ min: 1, max: 12 }),
  accumulate: fc.integer({ min: 1, max: 4 }),
  dropLast: fc.boolean(),
  join: fc.boolean(),
  shuffle: fc.boolean(),
  epochs: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  noSync: fc.constantFrom('both' as const, 'none' as const),
  compareSingle: fc.boolean(),
});

/** The refusal, or undefined where it ran. */
async function refusal(given: Omit<typeof uneven extends fc.Arbitrary<infer T> ? T : never, never>) {
  const { samplesPerRank, join, noSync, epochs, ...settings } = given;
  const ddp = { samplesPerRank, join, noSync };
  const config = {
    ...base,
    ...settings,
    ...(epochs === undefined ? {} : { epochs }),
    worldSize: samplesPerRank.length,
  };
  try {
    const { report } = await runConfig({ ...config, ddp }, {});
    // Ranks that hang do so after at least one step, with a sentence of their own.
    if (report.error) expect(report.error.message).toMatch(/Timed out waiting/);
    expect(report.steps).toBeGreaterThan(0);
    return undefined;
  } catch (error) {
    if (error instanceof LockstepError) return error;
    throw error;
  }
}

const EXAMPLES = [
  { samplesPerRank: [4, 2], batchSize: 7, accumulate: 1 },
  { samplesPerRank: [2, 1], batchSize: 8, accumulate: 2 },
].map((given) => ({
  ...given,
  ...{ dropLast: true, join: false, shuffle: true, epochs: undefined, noSync: 'both' as const, compareSingle: true },
}));

test('trains, or names the settings', { timeout: 60_000 }, () =>
  fc.assert(
    fc.asyncProperty(uneven, async (given) => {
      const refused = await refusal(given);
      if (!refused) return;
      expect(['config', 'data', 'placement']).toContain(refused.code);
      expect(refused.message).toMatch(/\b(ddp\.samplesPerRank is \[|batchSize is \d)/);
    }),
    { numRuns: 150, examples: EXAMPLES.map((given): [typeof given] => [given]) },
  ),
);

test('a rank without a batch in step 0 is named, with the settings that leave it none', async () => {
  expect((await refusal(at(EXAMPLES, 0)))?.message).toBe(
    'ddp.samplesPerRank is [4, 2], batchSize is 7, accumulate is 1, dropLast is true and ddp.join is false: rank 1 has 0 of the 1 batch that step 0 needs, and the other ranks would wait for it in all_reduce forever.',
  );
  expect((await refusal({ ...at(EXAMPLES, 0), join: true }))?.message).toBeUndefined();
});
