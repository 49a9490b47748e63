/**
 * Checkpoints as files, on the CPU device: a run that stops, is written, read and goes on has, to the bit, the state of one that did not stop; over modes, optimisers,
 * schedules, micro-batches, dropout, running statistics and samplers, in the same and in the other placement.
 */
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { createBlueprint } from '../blueprint';
import { DeviceKeeper } from '../device-keeper';
import { parseConfig } from '../parse-config';
import { type Checkpoint, createTraining, type Training } from '../training';
import type { BufferValue } from '../world-state';
import { modelFileName, stateFileName, writeCheckpoint } from './checkpoint-file';

const NET: ConfigInput = {
  device: 'cpu',
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 4 },
      { type: 'BatchNorm1d', features: 4 },
      { type: 'Tanh' },
      { type: 'Dropout', p: 0.25 },
      { type: 'Linear', in: 4, out: 1 },
    ],
  },
  data: { type: 'xor', samples: 44, testFraction: 0 },
  batchSize: 8,
  seed: 3,
  worldSize: 2,
  optimizer: { type: 'Adam', lr: 0.01 },
};

async function training<T>(config: ConfigInput, files: Files, use: (training: Training) => Promise<T>): Promise<T> {
  const keeper = new DeviceKeeper(undefined, true);
  const made = await createTraining(createBlueprint(parseConfig(config), files), { keeper, gpu: undefined });
  try {
    return await use(made);
  } finally {
    await made.dispose();
    keeper.forget();
  }
}

const saved = (config: ConfigInput, steps: number): Promise<Files> =>
  training(config, {}, async (t) => {
    await t.run(steps);
    const { model, state } = writeCheckpoint(t.blueprint, await t.checkpoint());
    return { [modelFileName('run')]: model, [stateFileName('run')]: state };
  });

/** Everything that a later step depends on, comparable. */
const state = async (t: Training): Promise<unknown> => {
  const checkpoint = await t.checkpoint();
  const { mode } = t.blueprint.config;
  // DataParallel's replicas take device 0's running statistics before each forward pass; what they hold between steps is read by nobody.
  const isLost = ({ device, buffer }: BufferValue) =>
    mode === 'dataParallel' && device > 0 && /running|num_batches/.test(buffer);
  return plain({ ...checkpoint, values: checkpoint.values.filter((value) => !isLost(value)) });
};
const plain = ({ step, values, twin, batches }: Checkpoint): unknown => ({
  step,
  values,
  twin,
  epoch: batches.epoch,
  rows: batches.batches,
  generators: batches.generators.map((g) => g.position()),
});

async function isTheRunWithoutTheStop(
  config: ConfigInput,
  at: number,
  change: Partial<ConfigInput> = {},
): Promise<void> {
  const straight = await training({ ...config, ...change }, {}, async (t) => {
    await t.run(at);
    const before = await state(t);
    const losses = await t.run(7);
    return { before, losses, after: await state(t) };
  });
  const files = await saved(config, at);
  const resumed = await training({ ...config, ...change, resume: 'run' }, files, async (t) => {
    expect(t.blueprint.resume?.exact).toBe(true);
    const before = await state(t);
    const losses = await t.run(7);
    const after = await state(t);
    await t.reset();
    expect(await state(t)).toEqual(before);
    return { before, losses, after };
  });
  expect(resumed).toEqual(straight);
}

const MODES: readonly ConfigInput['mode'][] = ['single', 'dataParallel', 'ddp', 'modelParallel'];

describe.each(MODES)('%s', (mode) => {
  test.each([0, 1, 4, 6, 9])('stopped before step %i, in the middle of an epoch or at its end', (at) =>
    isTheRunWithoutTheStop({ ...NET, mode }, at),
  );

  test.each([
    ['shared', 'workers'],
    ['workers', 'shared'],
  ] as const)('saved with placement %s, resumed with %s', (placement, other) =>
    isTheRunWithoutTheStop({ ...NET, mode, placement }, 4, { placement: other }),
  );

  test('in the middle of a group of micro-batches', () =>
    isTheRunWithoutTheStop({ ...NET, mode, batchSize: 24, accumulate: 3, clipGradNorm: 0.5 }, 4));
});

const OPTIMIZERS: readonly NonNullable<ConfigInput['optimizer']>[] = [
  { type: 'SGD', lr: 0.1, momentum: 0.9, nesterov: true },
  { type: 'SGD', lr: 0.1 },
  { type: 'Adam', lr: 0.01, amsgrad: true },
  { type: 'AdamW', lr: 0.01 },
  { type: 'RMSprop', lr: 0.01, momentum: 0.5, centered: true },
  { type: 'Adagrad', lr: 0.01, initialAccumulatorValue: 0.5, lrDecay: 0.01 },
  { type: 'Adadelta' },
  { type: 'Adamax' },
  { type: 'NAdam' },
  { type: 'RAdam' },
];
test.each(OPTIMIZERS)('optimiser $type', (optimizer) =>
  isTheRunWithoutTheStop({ ...NET, optimizer, mode: 'ddp', paramGroups: [{ match: '*.bias', weightDecay: 0.01 }] }, 5),
);

const SCHEDULERS: readonly NonNullable<ConfigInput['scheduler']>[] = [
  { type: 'OneCycleLR', maxLr: 0.05, totalSteps: 20 },
  { type: 'CosineAnnealingLR', tMax: 9, every: 'epoch' },
  { type: 'CyclicLR', baseLr: 0.01, maxLr: 0.05, stepSizeUp: 3, cycleMomentum: false },
];
test.each(SCHEDULERS)('schedule $type', (scheduler) =>
  isTheRunWithoutTheStop({ ...NET, scheduler, mode: 'ddp', shuffle: false }, 5),
);

test.each([
  { initSync: false },
  { broadcastBuffers: false },
  { rankSeeds: 'beforeModel' },
  { gradientAsBucketView: true },
] as const)('ranks that hold values of their own: %o', (ddp) =>
  isTheRunWithoutTheStop({ ...NET, ddp, mode: 'ddp' }, 5),
);
