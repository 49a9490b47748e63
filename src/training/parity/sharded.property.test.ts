/**
 * Sharded data parallelism on random nets, worlds and settings trains like DDP on the same rows, whatever the stage of
 * ZeRO: with two ranks to the bit, with more within rounding, since sums have another order.
 *
 * @module-tag rest: sharded.test.ts trains chosen nets in every stage of ZeRO.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { withTraining } from '../testing/checkpoint-runs';
import { mergedState } from '../weights/merged-weights';
import { replicaDivergence } from '../weights/weight-differences';

const STEPS = 4;
const BAR = 1e-6;

const layer: fc.Arbitrary<readonly [width: number, bias: boolean, more: LayerInput[]]> = fc.tuple(
  fc.integer({ min: 1, max: 7 }),
  fc.boolean(),
  fc.constantFrom<LayerInput[][]>(
    [{ type: 'Tanh' }],
    [{ type: 'GELU' }, { type: 'Dropout', p: 0.25 }],
    [{ type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] }],
  ),
);

const netOf = (hidden: readonly (readonly [number, boolean, LayerInput[]])[]): LayerInput[] => {
  let width = 2;
  return [...hidden, [1, true, []] as const].flatMap(([out, bias, more]) => {
    const linear: LayerInput = { type: 'Linear', in: width, out, bias };
    width = out;
    return [linear, ...more];
  });
};

const runs = fc.record({
  hidden: fc.array(layer, { minLength: 1, maxLength: 3 }),
  mesh: fc.constantFrom([1, 2], [1, 3], [1, 5], [1, 4], [2, 2], [3, 1]),
  sharded: fc.constantFrom<NonNullable<ConfigInput['sharded']>[]>(
    { stage: 1 },
    { stage: 2 },
    { stage: 2, syncEveryPass: false },
    {},
    { reshardAfterForward: true },
    { syncEveryPass: false, modules: ['0'] },
    { modules: [], reshardAfterForward: true },
    { prefetch: 2 },
    // Units of activations have no parameters.
    { prefetch: 1, modules: ['1', '0'] },
    { reshardTo: 2 },
    { reshardTo: 2, reshardAfterForward: true },
    { prefetch: 0 },
  ),
  clip: fc.constantFrom(undefined, 0.05),
  accumulate: fc.constantFrom(1, 2),
  algorithm: fc.constantFrom('ring', 'naive', 'tree', 'halvingDoubling'),
  segments: fc.constantFrom(undefined, 2),
  fuse: fc.boolean(),
});

const weightsOf = (config: ConfigInput) =>
  withTraining(config, {}, async (training) => {
    await training.run(STEPS * (config.accumulate ?? 1));
    const weights = await training.weights();
    expect(replicaDivergence(training.blueprint, weights)).toBe(0);
    return mergedState(training.blueprint, weights);
  });

test('any net, stage and mesh: the weights of DDP', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(runs, async ({ hidden, mesh, sharded, clip, segments, ...run }) => {
    const [dpReplicate = 1, dpShard = 1] = mesh;
    // A factor of the shards.
    fc.pre(sharded.reshardTo === undefined || dpShard % sharded.reshardTo === 0);
    const base: ConfigInput = {
      device: 'cpu',
      model: { layers: netOf(hidden) },
      data: { type: 'xor', samples: 240, testFraction: 0 },
      optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9, weightDecay: 0.01 },
      // Divides by every world, in micro-batches too: with dropLast the sampler of mode sharded drops a short batch.
      batchSize: 120,
      accumulate: run.accumulate,
      fuse: run.fuse,
      dropLast: true,
      compareSingle: false,
      ddp: { algorithm: run.algorithm, findUnusedParameters: true },
      ...(clip === undefined ? {} : { clipGradNorm: clip }),
      ...(segments === undefined ? {} : { checkpointSegments: segments }),
    };
    const own = await weightsOf({ ...base, mode: 'sharded', mesh: { dpReplicate, dpShard }, sharded });
    const expected = await weightsOf({ ...base, mode: 'ddp', worldSize: dpReplicate * dpShard });
    const toTheBit = dpReplicate * dpShard === 2 && clip === undefined && run.accumulate === 1;
    for (const [name, values] of expected) {
      const held = must(own.get(name), name);
      for (const [i, value] of values.entries())
        if (toTheBit) expect(held[i], name).toBe(value);
        else expect(Math.abs((held[i] ?? Number.NaN) - value), name).toBeLessThanOrEqual(BAR);
    }
  });
  await fc.assert(property, { numRuns: 15 });
});

test.each<[NonNullable<ConfigInput['sharded']>, string]>([
  [{ modules: ['7'] }, 'sharded.modules is "7": the model has no such layer'],
  [{ reshardTo: 3 }, 'it should be a factor of 2, not 3'],
  [{ modules: ['0', '0'] }, 'sharded.modules is "0": the unit is named twice'],
])('%j is refused', async (sharded, words) => {
  const config: ConfigInput = { mode: 'sharded', worldSize: 2, sharded, device: 'cpu' };
  expect(() => parseConfig(config)).not.toThrow();
  await expect(withTraining(config, {}, () => Promise.resolve())).rejects.toThrow(words);
});

test('settings of DDP that fully_shard does not take: the run goes on without them, and a notice says so', async () => {
  const config: ConfigInput = {
    mode: 'sharded',
    worldSize: 3,
    device: 'cpu',
    data: { type: 'xor', samples: 60, testFraction: 0 },
    batchSize: 15,
    compareSingle: false,
  };
  const odd: ConfigInput['ddp'] = {
    join: true,
    samplesPerRank: [9, 30, 3],
    commHook: { type: 'powerSGD' },
    noSync: 'none',
  };
  const lossesOf = (more: ConfigInput) =>
    withTraining({ ...config, ...more }, {}, async (t) => ({ losses: await t.run(6), notices: t.blueprint.notices }));
  const { losses, notices } = await lossesOf({ ddp: odd });
  expect(losses).toEqual((await lossesOf({})).losses);
  const said = notices.find(({ id }) => id === 'ddp-of-shards');
  expect(said?.text).toContain('ddp.commHook, ddp.noSync, ddp.samplesPerRank, ddp.join have no effect in mode sharded');
  expect(said?.hint).toContain('fully_shard takes algorithm, samplerSeed, setEpoch and syncBatchNorm');
  await expect(lossesOf({ sharded: { stage: 1 }, ddp: { join: true } })).rejects.toThrow(
    'sharded.stage is 1 and ddp.join is true: each rank steps its share',
  );
});
