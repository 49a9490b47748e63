/**
 * DistributedDataParallel around a model in bfloat16: the weights of torch, and the average of the ranks' gradients,
 * held to the bit against the gradients that each rank's rows give by themselves.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { gatherRows } from '../../data/gather-rows';
import { runCpu } from '../../graph/testing/run-cpu';
import { stageGraph } from '../../parallel/stage-graph';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { roundTo } from '../../tensor/half-bits';
import { allocate, elements } from '../../tensor/shape';
import type { Blueprint } from '../blueprint';
import recorded from '../fixtures/bfloat16-ddp.json';
import { withTraining } from '../testing/checkpoint-runs';

const floats = (base64: string): Float32Array =>
  new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);

const BASE: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 2,
  precision: 'bf16',
  data: { type: 'xor', samples: 40, testFraction: 0 },
  optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
  loss: { type: 'BCEWithLogitsLoss' },
  batchSize: 8,
  compareSingle: false,
};

/** The gradients of rows by themselves, from the start of the run. */
function gradientsOf({ dataset, input, parameters, buffers }: Blueprint, rows: Int32Array) {
  const { graph, parameters: reached } = stageGraph(input, { rows: rows.length, withLoss: true });
  const held = new Map([...parameters, ...buffers].map(({ name, data }) => [name, data]));
  const given = new Map(
    graph.values.flatMap(({ id, name, role, type }) => {
      const values = allocate(type.dtype, elements(type.shape));
      if (role === 'input') gatherRows(dataset.inputs, elements(input.inputShape), rows, values);
      else if (role === 'target') gatherRows(dataset.targets, elements(input.targetShape), rows, values);
      else if (role === 'seed') values.fill(1);
      else if (role === 'parameter' || role === 'buffer') values.set(must(held.get(name), name));
      else return [];
      return [[id, values] as const];
    }),
  );
  const computed = runCpu(graph, input.ops, given);
  return reached.map(({ gradient }) => {
    const { id } = must(
      graph.values.find(({ name }) => name === gradient),
      gradient,
    );
    return { gradient, values: must(computed.get(id), gradient) };
  });
}

const inBfloat16 = (values: ArrayLike<number>): Float32Array => {
  const rounded = Float32Array.from(values);
  roundTo('bf16', rounded);
  return rounded;
};

const runs = fc.record({
  widths: fc.constantFrom([4], [3, 5], [5, 4, 3]),
  samples: fc.constantFrom(24, 40),
  algorithm: fc.constantFrom('naive' as const, 'ring' as const),
  bucketCapMb: fc.constantFrom(undefined, 0.00002),
});

test('the average of two ranks: each gradient halved in bfloat16, then added in bfloat16', place({}), async () => {
  await fc.assert(
    fc.asyncProperty(runs, async ({ widths, samples, algorithm, bucketCapMb }) => {
      const config: ConfigInput = {
        ...BASE,
        model: { layers: mlpLayers([2, ...widths, 1], 'Tanh') },
        data: { type: 'xor', samples, testFraction: 0 },
        ddp: { algorithm, ...(bucketCapMb === undefined ? {} : { bucketCapMb }) },
      };
      await withTraining(config, {}, async (training) => {
        const { rows } = training.blueprint.batches().next();
        const own = rows.map((ofRank) => gradientsOf(training.blueprint, ofRank));
        await training.run(1);
        const held = new Map((await training.checkpoint()).values.map(({ buffer, data }) => [buffer, data]));
        for (const [k, { gradient }] of at(own, 0).entries()) {
          const parts = own.map((ofRank) => inBfloat16(at(ofRank, k).values.map((value) => value / 2)));
          const average = inBfloat16(at(parts, 0).map((value, i) => value + at(at(parts, 1), i)));
          expect(Float32Array.from(must(held.get(gradient), gradient)), gradient).toEqual(average);
        }
      });
    }),
    { numRuns: 8 },
  );
});

test.each(recorded.runs.map(({ config, ...run }) => ({ ...run, config: config as ConfigInput })))(
  'on $config.worldSize ranks: the weights of torch 2.13, to the bit',
  async ({ config, losses, weights }) => {
    await withTraining({ ...config, compareSingle: false }, {}, async (training) => {
      const records = await training.run(losses.length);
      for (const [step, { perRank }] of records.entries())
        for (const [rank, loss] of perRank.entries()) expect(loss).toBeCloseTo(at(at(losses, step), rank), 6);
      const [first] = (await training.weights()).devices;
      for (const [name, { float32 }] of Object.entries(weights))
        expect(must(first, 'rank 0').get(name), name).toEqual(floats(float32));
    });
  },
);

test.each<[string, ConfigInput]>([
  ['plain', {}],
  ['each rank with a start of its own', { ddp: { rankSeeds: 'beforeModel' } }],
  ['a rank that runs out of batches', { ddp: { join: true, samplesPerRank: [20, 12] } }],
  ['SyncBatchNorm', { ddp: { syncBatchNorm: true } }],
  ['micro-batches', { accumulate: 2 }],
  ['Adam, clipped', { optimizer: { type: 'Adam', lr: 0.01 }, clipGradNorm: 0.1 }],
])('%s: after three steps the ranks have the same weights, in bfloat16', async (_, more) => {
  const layers: ConfigInput['model'] = {
    layers: [
      { type: 'Linear', in: 2, out: 5 },
      { type: 'BatchNorm1d', features: 5 },
      { type: 'ReLU' },
      { type: 'Linear', in: 5, out: 1 },
    ],
  };
  await withTraining({ ...BASE, model: layers, ...more }, {}, async (training) => {
    await training.run(3 * (more.accumulate ?? 1));
    const [first, second] = (await training.weights()).devices;
    for (const [name, values] of must(first, 'rank 0')) {
      // Ranks take rank 0's running statistics before a forward pass, and move on from them with their own rows.
      if (!name.includes('running_')) expect(must(second, 'rank 1').get(name), name).toEqual(values);
      if (values instanceof Float32Array) expect(values, name).toEqual(inBfloat16(values));
    }
  });
});
