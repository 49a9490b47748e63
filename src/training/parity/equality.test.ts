/**
 * The claim of the whole project as a property: the mode changes who computes what, not the result. Over seeds, world
 * sizes, widths, batch sizes and bucket caps: model parallel is bitwise Single, DataParallel and DDP with equal batches
 * stay within float rounding of it.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { ALGORITHM_NAMES } from '../../protocol/collective';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { Training } from '../training';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const STEPS = 12;

async function train(input: ConfigInput, placement: 'shared' | 'workers' = 'shared'): Promise<Training> {
  const blueprint = createBlueprint(parseConfig({ ...input, device: 'cpu', placement }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  await training.run(STEPS);
  return training;
}

const base = fc.record({
  seed: fc.integer({ min: 0, max: 1000 }),
  widths: fc.array(fc.integer({ min: 1, max: 13 }), { minLength: 1, maxLength: 4 }),
  perRank: fc.integer({ min: 1, max: 5 }),
  world: fc.integer({ min: 1, max: 8 }),
  adam: fc.boolean(),
});

function config({
  seed,
  widths,
  perRank,
  world,
  adam,
}: {
  seed: number;
  widths: readonly number[];
  perRank: number;
  world: number;
  adam: boolean;
}): ConfigInput {
  const sizes = [2, ...widths, 1];
  return {
    model: {
      layers: sizes
        .slice(1)
        .flatMap((out, i) => [
          { type: 'Linear' as const, in: at(sizes, i), out },
          ...(i < sizes.length - 2 ? [{ type: 'Tanh' as const }] : []),
        ]),
    },
    optimizer: adam ? { type: 'Adam', lr: 0.01 } : { type: 'SGD', lr: 0.1, momentum: 0.9 },
    data: { type: 'xor', samples: 41 },
    batchSize: perRank * world,
    worldSize: world,
    seed,
  };
}

/** Adam turns a gradient's rounding into a step of lr where the gradient is nearly zero, so its bar is wider. */
const bar = (adam: boolean): number => (adam ? 1e-4 : 1e-5);

test('DDP: replicas bitwise equal, within rounding of Single, for any bucket cap and algorithm', async () => {
  const options = fc.record({
    capBytes: fc.integer({ min: 11, max: 3000 }),
    algorithm: fc.constantFrom(...ALGORITHM_NAMES),
    overlap: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(base, options, async (b, { capBytes, algorithm, overlap }) => {
      // A multiple of the batch, so that no sample is repeated and all batches are equal.
      const training = await train({
        ...config(b),
        data: { type: 'xor', samples: 8 * b.perRank * b.world },
        mode: 'ddp',
        ddp: { bucketCapMb: capBytes / 2 ** 20, algorithm, overlap },
      });
      const weights = await training.weights();
      expect(replicaDivergence(training.blueprint, weights)).toBe(0);
      expect(differenceFromSingle(training.blueprint, weights)).toBeLessThanOrEqual(bar(b.adam));
    }),
    { numRuns: 40 },
  );
});

test('DataParallel: within rounding of Single, also for uneven chunks', async () => {
  await fc.assert(
    fc.asyncProperty(base, fc.integer({ min: 1, max: 20 }), async (b, batchSize) => {
      const training = await train({ ...config(b), batchSize, mode: 'dataParallel' });
      expect(differenceFromSingle(training.blueprint, await training.weights())).toBeLessThanOrEqual(bar(b.adam));
    }),
    { numRuns: 40 },
  );
});

test('Model parallel: bitwise Single', async () => {
  await fc.assert(
    fc.asyncProperty(base, async (b) => {
      const worldSize = Math.min(b.world, b.widths.length + 1);
      const training = await train({ ...config(b), mode: 'modelParallel', worldSize });
      expect(differenceFromSingle(training.blueprint, await training.weights())).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test('the placement changes no bit', async () => {
  const mode = fc.constantFrom('dataParallel' as const, 'ddp' as const, 'modelParallel' as const);
  await fc.assert(
    fc.asyncProperty(base, mode, async (b, m) => {
      const worldSize = m === 'modelParallel' ? Math.min(b.world, b.widths.length + 1) : b.world;
      const input: ConfigInput = { ...config(b), mode: m, worldSize, compareSingle: false };
      const [shared, workers] = await Promise.all([train(input), train(input, 'workers')]);
      const [a, c] = await Promise.all([shared.weights(), workers.weights()]);
      expect(c.devices).toEqual(a.devices);
      await Promise.all([shared.dispose(), workers.dispose()]);
    }),
    { numRuns: 25 },
  );
});
