/** DDP with SyncBatchNorm trains as one device with the whole batch does, which plain BatchNorm under DDP does not. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';

/** The CNN preset's shape, small. */
const CNN: ConfigInput = {
  model: {
    layers: [
      { type: 'Conv2d', in: 1, out: 3, kernel: 3, padding: 1, bias: false },
      { type: 'BatchNorm2d', features: 3 },
      { type: 'ReLU' },
      { type: 'MaxPool2d', kernel: 2 },
      { type: 'Conv2d', in: 3, out: 4, kernel: 3, padding: 1, bias: false },
      { type: 'BatchNorm2d', features: 4 },
      { type: 'ReLU' },
      { type: 'Flatten' },
      { type: 'Linear', in: 36, out: 3 },
    ],
  },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
  data: { type: 'prototypes', samples: 24, classes: 3, features: 36, size: 6 },
  batchSize: 6,
  mode: 'ddp',
  worldSize: 2,
  device: 'cpu',
};

/** max |w - w of the single device| over parameters and running statistics. */
async function apart(config: ConfigInput): Promise<number> {
  const keeper = new DeviceKeeper(undefined, true);
  const blueprint = createBlueprint(parseConfig({ ...CNN, ...config }), {});
  const training = await createTraining(blueprint, { keeper, gpu: undefined });
  await training.trace();
  await training.run(7);
  const { devices, reference } = await training.weights();
  await training.dispose();
  return Math.max(
    ...devices.flatMap((own) =>
      [...(reference ?? [])].flatMap(([name, data]) =>
        [...data].map((v, i) => Math.abs(v - (own.get(name)?.[i] ?? 9))),
      ),
    ),
  );
}

const sync = (more: ConfigInput['ddp'] = {}): ConfigInput['ddp'] => ({ syncBatchNorm: true, ...more });

test.each<[string, ConfigInput]>([
  ['shared', { ddp: sync() }],
  ['ranks joined by messages', { ddp: sync(), placement: 'workers' }],
  ['fused kernels', { ddp: sync(), fuse: true }],
  ['activations computed again', { ddp: sync(), checkpointSegments: 2 }],
  [
    'one row per rank, another algorithm, without overlap',
    { ddp: sync({ algorithm: 'naive', overlap: false }), batchSize: 3, worldSize: 3 },
  ],
  ['micro-batches', { ddp: sync(), batchSize: 12, accumulate: 2 }],
])('the single device: %s', async (_, config) => {
  expect(await apart(config)).toBeLessThan(1e-5);
});

test('plain BatchNorm differs', async () => {
  expect(await apart({ ddp: {} })).toBeGreaterThan(1e-3);
});

test('under autocast it is that of one device but for roundings of bfloat16', async () => {
  // 0.01 is two roundings of the largest weights; without SyncBatchNorm ranks differ by more.
  expect(await apart({ ddp: sync(), precision: 'autocast-bf16' })).toBeLessThan(0.01);
  expect(await apart({ precision: 'autocast-bf16' })).toBeGreaterThan(0.02);
});
