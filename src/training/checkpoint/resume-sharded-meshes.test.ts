/**
 * A run in shards beside tp or around stages stops and goes on to the bit, dropout and all; its checkpoint has whole
 * tensors, so the weights and states of one mesh go on in any other one, to the bit of what was saved.
 *
 * @module-tag rest: resume-sharded.test.ts and resume-tensor.test.ts stop and resume on meshes with one of the two.
 */
import { describe, expect, test } from 'vitest';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { SAME_BITS, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';
import { mergedState } from '../weights/merged-weights';

const DROPOUT: LayerInput = { type: 'Dropout', p: 0.1 };
const BASE: ConfigInput = {
  device: 'cpu',
  model: {
    layers: mlpLayers([2, 7, 5, 6, 1], 'Tanh')
      .flatMap((layer) => [layer, DROPOUT])
      .slice(0, -1),
  },
  data: { type: 'xor', samples: 64, testFraction: 0 },
  batchSize: 16,
  dropLast: true,
  optimizer: { type: 'Adam', lr: 0.02 },
  compareSingle: false,
  seed: 5,
};
const PIPELINE = { microBatches: 2 } as const;

const MESHES: Readonly<Record<string, ConfigInput>> = {
  'dpShard x tp': { ...BASE, mesh: { dpShard: 2, tp: 2 } },
  'dpReplicate x dpShard x tp': { ...BASE, mesh: { dpReplicate: 2, dpShard: 2, tp: 2 }, clipGradNorm: 0.5 },
  'pp x dpShard': { ...BASE, mesh: { pp: 2, dpShard: 2 }, pipeline: PIPELINE },
  'pp x dpShard x tp': { ...BASE, mesh: { pp: 2, dpShard: 2, tp: 2 }, pipeline: PIPELINE },
};
const [STOP, MORE] = [3, 4];

describe.each(Object.entries(MESHES))('%s', (_name, config) => {
  test('stops and goes on to the bit', async () => {
    const straight = await withTraining(config, {}, async (t) => {
      await t.run(STOP);
      return { losses: await t.run(MORE), after: await stateOf(t) };
    });
    const resumed = await withTraining({ ...config, resume: 'run' }, await savedAfter(config, STOP), async (t) => {
      expect(t.blueprint.notices.find(({ id }) => id === 'resumed')?.text).toMatch(SAME_BITS);
      return { losses: await t.run(MORE), after: await stateOf(t) };
    });
    expect(resumed).toEqual(straight);
  });

  test.each<[string, ConfigInput]>([
    ['ddp', { ...BASE, mode: 'ddp', worldSize: 2 }],
    ['three shards', { ...BASE, mesh: { dpShard: 3 }, batchSize: 15 }],
    ['pp x dpShard, the other way round', { ...BASE, mesh: { pp: 2, dpShard: 3 }, batchSize: 18, pipeline: PIPELINE }],
  ])('goes on with the weights and states of %s, to the bit', async (_other, other) => {
    const wholeOf = (given: ConfigInput, files = {}, steps = 0) =>
      withTraining(given, files, async (t) => {
        await t.run(steps);
        return mergedState(t.blueprint, await t.weights());
      });
    const files = await savedAfter(other, STOP);
    const saved = await wholeOf(other, {}, STOP);
    expect(await wholeOf({ ...config, resume: 'run' }, files)).toEqual(saved);
    const back = await withTraining({ ...config, resume: 'run' }, files, async (t) => (await t.run(1))[0]?.loss);
    expect(back).toBeLessThan(1);
  });
});
