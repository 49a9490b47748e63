/**
 * Passes over the graph change speed and memory, never a bit: fused and checkpointed runs against plain ones, layer by
 * layer kinds.
 */
import { describe, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { memoryOf } from '../device-memory';
import { RECORDED } from '../testing/recorded-runs';

async function train(config: ConfigInput, steps: number) {
  const blueprint = createBlueprint(parseConfig({ ...config, device: 'cpu', compareSingle: false }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  try {
    const losses = (await training.run(steps)).map((r) => r.perRank);
    const { devices } = await training.weights();
    const program = at(blueprint.programs, 0);
    const lane = at(program.lanes, 0);
    return {
      losses,
      weights: devices.map((own) => [...own]),
      ops: lane.instructions.flatMap((i) => (i.kind === 'compute' ? [i.op] : [])),
      flops: lane.instructions.reduce((sum, i) => sum + i.flops, 0),
      activations: at(memoryOf(blueprint), 0).byCategory.activation,
    };
  } finally {
    await training.dispose();
  }
}

const MODES: readonly ConfigInput[] = [
  { mode: 'single' },
  { mode: 'ddp', worldSize: 2 },
  { mode: 'dataParallel', worldSize: 2 },
  { mode: 'modelParallel', worldSize: 2 },
];
const small = RECORDED.filter(({ name }) => ['tanh_mlp', 'mlp_dropout', 'cnn_bn', 'gpt'].includes(name));

describe.each(small)('$name', ({ name, config }) => {
  const samples = name === 'cnn_bn' ? { batchSize: 8 } : {};
  test.each(MODES)('fused kernels give the same bits, $mode', async (mode) => {
    const base = { ...config, ...samples, ...mode };
    const [plain, fused] = [await train(base, 3), await train({ ...base, fuse: true }, 3)];
    expect(fused.losses).toEqual(plain.losses);
    expect(fused.weights).toEqual(plain.weights);
    // On each device the activations of these follow normalisation, or the layer before sits elsewhere.
    if (name.endsWith('_mlp') || name === 'mlp_dropout') expect(fused.ops.length).toBeLessThan(plain.ops.length);
  });

  test.each(MODES)('checkpointing gives the same bits, $mode', async (mode) => {
    const base = { ...config, ...samples, ...mode };
    const plain = await train(base, 3);
    const checkpointed = await train({ ...base, checkpointSegments: 2 }, 3);
    expect(checkpointed.losses).toEqual(plain.losses);
    expect(checkpointed.weights).toEqual(plain.weights);
  });
});

test.each(MODES)('fused kernels give the same bits where GradScaler changes the scale, $mode', async (mode) => {
  const base: ConfigInput = {
    ...mode,
    model: { layers: mlpLayers([3, 5, 3], 'Tanh') },
    data: { type: 'randomRegression', samples: 24, in: 3, out: 3 },
    loss: { type: 'MSELoss' },
    ...{ batchSize: 6, precision: 'autocast-fp16', gradScaler: { enabled: true, growthInterval: 1 } },
  };
  const [plain, fused] = [await train(base, 4), await train({ ...base, fuse: true }, 4)];
  expect(fused.losses).toEqual(plain.losses);
  expect(fused.weights).toEqual(plain.weights);
});

test('checkpointing a deep model saves activations and costs part of a forward pass', async () => {
  const layers = Array.from({ length: 12 }, () => [
    { type: 'Linear' as const, in: 16, out: 16 },
    { type: 'Tanh' as const },
  ]).flat();
  const base: ConfigInput = {
    model: { layers: [...layers, { type: 'Linear', in: 16, out: 1 }] },
    loss: { type: 'MSELoss' },
    data: { type: 'randomRegression', samples: 64, in: 16, out: 1 },
    batchSize: 64,
  };
  const plain = await train(base, 2);
  const checkpointed = await train({ ...base, checkpointSegments: 5 }, 2);
  expect(checkpointed.losses).toEqual(plain.losses);
  expect(checkpointed.activations).toBeLessThan(0.6 * plain.activations);
  expect(checkpointed.flops).toBeGreaterThan(plain.flops);
  expect(checkpointed.flops).toBeLessThan(1.4 * plain.flops);
});
