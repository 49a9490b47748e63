/**
 * Gradient accumulation with several micro-batches in a Program gives the bits of one Program a micro-batch, wherever
 * the run is cut, and needs no more memory. A run that is asked for one micro-batch at a time is the other side.
 *
 * @module-tag rest: bits.test.ts holds the bits of runs that accumulate, in every mode.
 */
import { expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import type { Program } from '../program/instruction';
import { planMemory } from '../program/memory-planner';
import type { ConfigInput } from '../protocol/config';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';
import { MOST_TOGETHER } from './step-kinds';
import type { Training } from './training';

const layers: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 8 },
    { type: 'BatchNorm1d', features: 8 },
    { type: 'ReLU' },
    { type: 'Dropout', p: 0.25 },
    { type: 'Linear', in: 8, out: 1 },
  ],
};
const base: ConfigInput = {
  device: 'cpu',
  worldSize: 2,
  batchSize: 48,
  // The epoch ends with a short micro-batch where two, three or six make a step.
  data: { type: 'xor', samples: 84, testFraction: 0 },
  model: layers,
};

async function opened(config: ConfigInput): Promise<Training> {
  const blueprint = createBlueprint(parseConfig({ ...base, ...config }), {});
  return createTraining(blueprint, { keeper: new DeviceKeeper(undefined, false), gpu: undefined });
}

/** What is left of a run that is asked for in pieces of these numbers of micro-batches. */
async function after(config: ConfigInput, pieces: readonly number[]) {
  const training = await opened(config);
  try {
    const losses = [];
    for (const count of pieces) losses.push(...(await training.run(count)));
    const { devices, reference } = await training.weights();
    const checkpoint = await training.checkpoint();
    return { losses, devices, reference, values: checkpoint.values };
  } finally {
    await training.dispose();
  }
}

/** As many buckets as that at most, of 256 bytes each. */
const PARAMETERS = 6;
const microBatchesOf = ({ kind }: Program): number => (kind.type === 'training' ? kind.microBatches.length : 0);
const runs: readonly (readonly [name: string, config: ConfigInput])[] = [
  ['single', { mode: 'single' }],
  ['dataParallel', { mode: 'dataParallel' }],
  ['ddp', { mode: 'ddp' }],
  ['ddp in workers', { mode: 'ddp', placement: 'workers' }],
  ['ddp, no_sync "none", small buckets', { mode: 'ddp', ddp: { noSync: 'none', bucketCapMb: 0.0001 } }],
  ['ddp, buckets are the gradients', { mode: 'ddp', ddp: { gradientAsBucketView: true, syncBatchNorm: true } }],
  ['ddp, local SGD', { mode: 'ddp', ddp: { commHook: { type: 'localSGD', startLocalSGDIter: 1, period: 2 } } }],
  ['ddp, PowerSGD', { mode: 'ddp', ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 2 } } }],
  ['modelParallel', { mode: 'modelParallel' }],
  ['parameterServer', { mode: 'parameterServer', worldSize: 3 }],
];

const groups = runs.flatMap(([name, config]) => [2, 3, 4, 6].map((accumulate) => [name, accumulate, config] as const));
/** 6 is cut into groups, one of MOST_TOGETHER and a smaller one. */
const inQuick = [6];

for (const [name, accumulate, config] of groups)
  test(
    `${name}, ${accumulate} micro-batches a step: the same bits as one by one`,
    place(
      inQuick.includes(accumulate)
        ? {}
        : { rest: 'a step of several groups is tested, the last of which is below the limit' },
    ),
    async () => {
      const own = { ...config, accumulate };
      const total = 5 * accumulate + 1;
      const alone = await after(own, Array<number>(total).fill(1));
      expect(await after(own, [total])).toEqual(alone);
      // It begins and ends in the middle of a step.
      expect(await after(own, [1, total - 3, 2])).toEqual(alone);
    },
  );

test.each(runs)('%s: whole groups are one Program, and need no more memory', (_name, config) => {
  for (const accumulate of [2, 3, 4, 6]) {
    const { programs, togetherAt } = createBlueprint(parseConfig({ ...base, ...config, accumulate }), {});
    // The first step of DDP, before its buckets are rebuilt, runs one by one.
    const count = Math.min(accumulate, MOST_TOGETHER);
    expect([1, 2, 3].map((step) => togetherAt(step * accumulate))).toContain(count);
    expect(Math.max(...programs.map(microBatchesOf))).toBe(count);
    const alone = programs.filter((program) => microBatchesOf(program) <= 1);
    for (const [device, { bytes }] of planMemory(programs)) {
      const before = must(planMemory(alone).get(device), 'plan').bytes;
      // A loss is kept for each micro-batch until it is read; and where every micro-batch reduces, another rank may
      // still take what was in a bucket when the next micro-batch begins.
      const buckets = config.ddp?.noSync === 'none' ? 256 * PARAMETERS : 0;
      expect(bytes).toBeLessThanOrEqual(before + 256 * (count - 1) + buckets);
    }
  }
});

test('a checkpoint in the middle of a step is resumed there', async () => {
  const config: ConfigInput = { mode: 'ddp', accumulate: 4 };
  const straight = await after(config, [16]);
  const training = await opened(config);
  try {
    await training.run(6);
    const checkpoint = await training.checkpoint();
    await training.run(3);
    await training.restore(checkpoint);
    await training.run(10);
    expect((await training.weights()).devices).toEqual(straight.devices);
  } finally {
    await training.dispose();
  }
});
