/**
 * fully_shard and ZeroRedundancyOptimizer around a model in bfloat16 (model.to(torch.bfloat16)). Two ranks have the
 * bits of DistributedDataParallel around the same model, because a division by 2 is exact. The weights of torch are
 * those of the scripts in script-losses.test.ts.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../blueprint';
import { memoryOf } from '../device-memory';
import { NET, SAME_BITS, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';
import { PLACEMENTS } from '../testing/placements';
import { mergedState } from '../weights/merged-weights';
import { replicaDivergence } from '../weights/weight-differences';

const BASE: ConfigInput = {
  device: 'cpu',
  precision: 'bf16',
  data: { type: 'xor', samples: 40, testFraction: 0 },
  loss: { type: 'BCEWithLogitsLoss' },
  batchSize: 8,
  dropLast: true,
  compareSingle: false,
};

const runs = fc.record({
  // Weights with odd numbers of elements, whose halves fill the last word only in part.
  widths: fc.constantFrom([4], [3, 5], [5, 3, 7]),
  sharded: fc.constantFrom<NonNullable<ConfigInput['sharded']>[]>(
    { stage: 0 },
    { stage: 1 },
    { stage: 2 },
    { stage: 3 },
    { stage: 3, reshardAfterForward: true },
    { stage: 3, modules: ['0'] },
    { stage: 3, reshardTo: 2, reshardAfterForward: true },
    { stage: 3, cpuOffload: true },
  ),
  optimizer: fc.constantFrom<NonNullable<ConfigInput['optimizer']>[]>(
    { type: 'SGD', lr: 0.05, momentum: 0.9 },
    { type: 'Adam', lr: 0.01 },
    { type: 'AdamW', lr: 0.01, weightDecay: 0.1 },
  ),
  clipGradValue: fc.constantFrom(undefined, 0.02),
  fuse: fc.boolean(),
});

const trained = (config: ConfigInput, steps: number) =>
  withTraining(config, {}, async (training) => {
    const losses = (await training.run(steps)).map(({ perRank }) => perRank);
    const weights = await training.weights();
    return {
      losses,
      weights: mergedState(training.blueprint, weights),
      apart: replicaDivergence(training.blueprint, weights),
    };
  });

test('two ranks: the losses and weights of DDP, in every stage', place({}), async () => {
  await fc.assert(
    fc.asyncProperty(runs, async ({ widths, sharded, clipGradValue, ...more }) => {
      const config: ConfigInput = {
        ...BASE,
        ...more,
        model: { layers: mlpLayers([2, ...widths, 1], 'Tanh') },
        ...(clipGradValue === undefined ? {} : { clipGradValue }),
      };
      const ddp = await trained({ ...config, mode: 'ddp', worldSize: 2 }, 4);
      const own = await trained({ ...config, mode: 'sharded', mesh: { dpShard: 2 }, sharded }, 4);
      expect(own).toEqual(ddp);
    }),
    { numRuns: 24 },
  );
});

const SHARDED: ConfigInput = { ...NET, precision: 'bf16', mode: 'sharded', dropLast: true, compareSingle: false };

test.each(PLACEMENTS)('$title: a run that stops ends with the bits of one that does not', async ({ placement }) => {
  const config: ConfigInput = { ...SHARDED, placement, worldSize: 3, accumulate: 2, batchSize: 12 };
  const straight = await withTraining(config, {}, async (t) => {
    await t.run(6);
    return stateOf(t);
  });
  const files = await savedAfter(config, 4);
  const resumed = await withTraining({ ...config, resume: 'run' }, files, async (t) => {
    expect(t.blueprint.notices.map(({ text }) => text).join()).toMatch(SAME_BITS);
    await t.run(2);
    return stateOf(t);
  });
  expect(resumed).toEqual(straight);
});

test('shards, their gradients and states, and gathered parameters take two bytes per element', () => {
  const config: ConfigInput = {
    ...SHARDED,
    mesh: { dpShard: 2 },
    model: { layers: mlpLayers([2, 64, 64, 1], 'Tanh') },
    optimizer: { type: 'Adam' },
  };
  const of = (more: ConfigInput) =>
    must(memoryOf(createBlueprint(parseConfig({ ...config, ...more }), {}))[0], 'rank 0');
  const [half, full] = [of({}), of({ precision: 'float32' })];
  // Each tensor begins at a multiple of 256 bytes.
  for (const kind of ['parameter', 'gradient', 'optimizer', 'unsharded', 'communication'] as const)
    expect(half.byCategory[kind] / full.byCategory[kind], kind).toBeLessThan(kind === 'gradient' ? 0.75 : 0.65);
});

test('gradients reduced in float32 (reduce_dtype) come closer to those of one device', async () => {
  const config: ConfigInput = {
    ...BASE,
    model: { layers: mlpLayers([2, 8, 1], 'Tanh') },
    optimizer: { type: 'SGD', lr: 0.1 },
    mode: 'sharded',
    mesh: { dpShard: 4 },
  };
  const inHalf = await trained(config, 3);
  const inFloat = await trained({ ...config, sharded: { reduceDtype: 'float32' } }, 3);
  expect(inFloat.weights).not.toEqual(inHalf.weights);
  for (const [k, { losses }] of [inFloat].entries())
    for (const [step, own] of losses.entries())
      for (const [rank, loss] of own.entries())
        expect(Math.abs(loss - (inHalf.losses[step]?.[rank] ?? 0)), `${k}`).toBeLessThan(0.02);
});

test('layers that tp cuts are refused in words', () => {
  const config = parseConfig({ ...SHARDED, worldSize: 4, mesh: { dpShard: 2, tp: 2 } });
  expect(() => createBlueprint(config, {})).toThrow(
    /does not cut the layers of a model that is in bfloat16 as a whole/,
  );
});
