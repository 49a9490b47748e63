/** Bytes by layer of steps that ran: the counted ones are those of the formula, and all of them are in some layer. */
import { expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { sessionInfo } from '../headless/session-info';
import type { ConfigInput } from '../protocol/config';
import { gptLayers, mlpLayers } from '../protocol/presets';
import { createBlueprint } from '../training/blueprint';
import { createTraining } from '../training/create-training';
import { DeviceKeeper } from '../training/device-keeper';
import { bytesByLayer } from './layer-bytes';
import { metricsOf } from './metrics';

async function traced(input: ConfigInput) {
  const config = parseConfig({ device: 'cpu', compareSingle: false, mode: 'tensor', ...input });
  const training = await createTraining(createBlueprint(config, {}), {
    keeper: new DeviceKeeper(undefined, true),
    gpu: undefined,
  });
  const trace = await training.trace();
  const metrics = metricsOf(trace, 'modelled', sessionInfo(training));
  await training.dispose();
  return { trace, metrics };
}

const GPT: ConfigInput = {
  model: { layers: gptLayers({ vocab: 12, context: 4, width: 8, heads: 2, layers: 2 }) },
  data: { type: 'text', text: 'abcdefghijkl'.repeat(8), context: 4 },
  loss: { type: 'CrossEntropyLoss' },
  batchSize: 4,
};

test.each<readonly [string, ConfigInput]>([
  ['a pair', { worldSize: 2, batchSize: 8 }],
  ['uneven parts', { worldSize: 3, batchSize: 8, model: { layers: mlpLayers([2, 7, 5, 7, 1], 'Tanh') } }],
  [
    'micro-batches',
    { worldSize: 2, batchSize: 8, accumulate: 2, model: { layers: mlpLayers([2, 8, 8, 8, 1], 'Tanh') } },
  ],
  ['replicas', { worldSize: 4, mesh: { tp: 2, dpReplicate: 2 }, batchSize: 8 }],
  [
    'the stages of a pipeline',
    {
      ...{ mode: 'pipeline', worldSize: 4, mesh: { pp: 2, tp: 2 }, batchSize: 8 },
      model: { layers: mlpLayers([2, 8, 8, 8, 8, 1], 'Tanh') },
      pipeline: { microBatches: 2 },
    },
  ],
  ['shards of a tensor group', { mode: 'sharded', worldSize: 4, mesh: { tp: 2, dpShard: 2 }, batchSize: 8 }],
  ['a transformer with its loss cut by class', { ...GPT, worldSize: 2 }],
])('%s', async (_, input) => {
  const { trace, metrics } = await traced(input);
  const layers = must(metrics.formula.layers, 'layers');
  expect(layers.length).toBeGreaterThan(0);
  const counted = bytesByLayer(trace);
  expect(new Map(layers.map(({ module, bytes }) => [module, bytes]))).toEqual(counted);
  const inside = layers.reduce((sum, { bytes }) => sum + bytes, 0);
  // Over replicas gradients are sent, too, between stages activations, and of shards whole parameters.
  if (input.mesh === undefined) expect(inside).toBe(metrics.traffic.total);
  else expect(inside).toBeLessThan(metrics.traffic.total);
});

test('a layer has the bytes that it sends, and the loss has no module', async () => {
  const { metrics } = await traced({ ...GPT, worldSize: 2 });
  const layers = must(metrics.formula.layers, 'layers');
  expect(layers.map(({ module }) => module)).toEqual([
    ...['tok', 'blocks.0.qkv', 'blocks.0.proj', 'blocks.0.fc1', 'blocks.0.fc2'],
    ...['blocks.1.qkv', 'blocks.1.proj', 'blocks.1.fc1', 'blocks.1.fc2', 'head', ''],
  ]);
  expect(at(layers, 0).text).toMatch(/^all-reduce of \d+ B in forward/);
  expect(layers.some(({ module, text }) => module === '' && text.includes('in loss'))).toBe(true);
});

test('a mode that cuts no layer has no table', async () => {
  expect((await traced({ mode: 'ddp', worldSize: 2 })).metrics.formula.layers).toBeUndefined();
});
