/**
 * Checkpoints as files, on the CPU device: a run that stops, is written, read and goes on has, to the bit, the state of
 * one that did not stop; over modes, optimisers, schedules, micro-batches, dropout, running statistics and samplers, in
 * the same and in the other placement.
 */
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { NET, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';

async function isTheRunWithoutTheStop(
  config: ConfigInput,
  at: number,
  change: Partial<ConfigInput> = {},
): Promise<void> {
  const straight = await withTraining({ ...config, ...change }, {}, async (t) => {
    await t.run(at);
    const before = await stateOf(t);
    const losses = await t.run(7);
    return { before, losses, after: await stateOf(t) };
  });
  const files = await savedAfter(config, at);
  const resumed = await withTraining({ ...config, ...change, resume: 'run' }, files, async (t) => {
    expect(t.blueprint.resume?.exact).toBe(true);
    const before = await stateOf(t);
    const losses = await t.run(7);
    const after = await stateOf(t);
    await t.reset();
    expect(await stateOf(t)).toEqual(before);
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
  ] as const)('saved with placement %s, resumed with %s (workers: ports in one thread)', (placement, other) =>
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
  { type: 'CyclicLR', baseLr: 0.01, maxLr: 0.05, stepSizeUp: 3 },
];
test.each(SCHEDULERS)('schedule $type', (scheduler) =>
  isTheRunWithoutTheStop({ ...NET, scheduler, mode: 'ddp', shuffle: false }, 5),
);

test.each([
  { initSync: false },
  { broadcastBuffers: false },
  { rankSeeds: 'beforeModel' },
  { gradientAsBucketView: true },
  { commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.1 } },
  { commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.1, warmStart: false } },
  { commHook: { type: 'localSGD', period: 3, startLocalSGDIter: 2 } },
] as const)('ranks that hold values of their own: %o', (ddp) =>
  isTheRunWithoutTheStop({ ...NET, ddp, mode: 'ddp' }, 5),
);

test('uneven inputs within join, in the middle of an epoch that one rank has left', () =>
  isTheRunWithoutTheStop({ ...NET, mode: 'ddp', ddp: { join: true, samplesPerRank: [24, 12] } }, 5));

test.each([true, false])('a parameter server, synchronous: %s', (synchronous) =>
  isTheRunWithoutTheStop({ ...NET, mode: 'parameterServer', parameterServer: { synchronous } }, 5),
);
