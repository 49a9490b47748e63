/**
 * Whole trainings with the kernels that hardware gets, on whatever adapter there is: the losses and weights of the CPU
 * device, and the same bits with and without subgroups. Kernels are held one by one in graph/hardware.gpu.test.ts and
 * runtime/webgpu/subgroups.gpu.test.ts; here pipelines are made as for users, operators update in place, and ranks
 * share a device.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { HARDWARE } from '../graph/testing/hardware-tuning';
import { cnnLayers, gptLayers } from '../protocol/presets';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';
import { loadParts } from './load-parts';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const STEPS = 3;
const IMAGES = {
  model: { layers: cnnLayers(28, [3, 5], 10) },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.05 },
  data: { type: 'digits', samples: 64 },
  batchSize: 16,
};
const TEXT = {
  mode: 'ddp',
  worldSize: 2,
  model: { layers: gptLayers({ vocab: 29, context: 20, width: 16, heads: 2, layers: 1 }) },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.1 },
  data: { type: 'text', context: 20, text: 'the quick brown fox jumps over the lazy dog. '.repeat(40) },
  batchSize: 8,
};

async function train(given: object, device: 'cpu' | 'webgpu', tuning = HARDWARE) {
  const keeper = new DeviceKeeper(node.gpu, true);
  const { opened } = await keeper.choose(device);
  if (opened) {
    Object.assign(opened.info, { software: false });
    await opened.tunings.save(opened.info.adapter, tuning);
  }
  const config = { ...parseConfig({ ...given, device }), compareSingle: false };
  await loadParts(config);
  const training = await createTraining(createBlueprint(config, {}), { keeper, gpu: node.gpu });
  try {
    await training.run(STEPS);
    expect(training.device.subgroups !== undefined).toBe(device === 'webgpu' && tuning.subgroups);
    const { devices } = await training.weights();
    return devices.map((weights) => [...weights.values()].map((values) => Float64Array.from(values)));
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

async function compare(given: object): Promise<void> {
  const [expected, actual] = [await train(given, 'cpu'), await train(given, 'webgpu')];
  expect(await train(given, 'webgpu', { ...HARDWARE, subgroups: true })).toEqual(actual);
  let compared = 0;
  for (const [d, weights] of expected.entries())
    for (const [w, values] of weights.entries()) {
      const other = must(actual[d]?.[w], 'weights');
      for (const [i, value] of values.entries()) expect(Math.abs(must(other[i], 'value') - value)).toBeLessThan(1e-4);
      compared += values.length;
    }
  expect(compared).toBeGreaterThan(500);
}

test('images, batch norm and a small batch', place({ modes: ['single'] }), () => compare(IMAGES));

const COMPILED =
  'its kernels take a software adapter twenty seconds to compile; attention and norms have quick tests of their own';

test('a transformer, two ranks', place({ modes: ['ddp'], rest: COMPILED }), () => compare(TEXT));
