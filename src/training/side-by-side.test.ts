/**
 * Two trainings in one process, a micro-batch of one after a micro-batch of the other: each ends with the same bits as
 * alone, since no module keeps state. With what would keep some: large products, PowerSGD's draws, dropout, halves.
 */
import { expect, onTestFinished, test } from 'vitest';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';
import type { Training } from './training';

const STEPS = 6;
const layers = (width: number): NonNullable<ConfigInput['model']> => ({
  layers: [
    { type: 'Linear', in: 2, out: width },
    { type: 'GELU' },
    { type: 'Dropout', p: 0.25 },
    { type: 'Linear', in: width, out: width },
    { type: 'Tanh' },
    { type: 'Linear', in: width, out: 1 },
  ],
});
const BASE = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 2,
  batchSize: 32,
  data: { type: 'xor', samples: 100, testFraction: 0 },
} satisfies ConfigInput;
const RUNS: readonly ConfigInput[] = [
  {
    ...BASE,
    seed: 1,
    model: layers(48),
    ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 2, warmStart: false, minCompressionRate: 0.5 } },
  },
  {
    ...BASE,
    seed: 2,
    model: layers(64),
    placement: 'workers',
    ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 3, warmStart: false, minCompressionRate: 0.5 } },
  },
  { ...BASE, seed: 3, model: layers(56), ddp: { commHook: { type: 'fp16Compress' } } },
];

async function open(input: ConfigInput): Promise<Training> {
  const training = await createTraining(createBlueprint(parseConfig(input), {}), {
    keeper: new DeviceKeeper(undefined, true),
    gpu: undefined,
  });
  onTestFinished(() => training.dispose());
  return training;
}

const bitsOf = async (training: Training) =>
  (await training.weights()).devices.map((held) =>
    [...held].map(([name, values]) => [name, [...new Uint32Array(values.buffer, values.byteOffset, values.length)]]),
  );

test('trainings that take turns give the same bits as alone', async () => {
  const alone = [];
  for (const input of RUNS) {
    const training = await open(input);
    await training.run(STEPS);
    alone.push(await bitsOf(training));
  }
  const together = await Promise.all(RUNS.map(open));
  for (let step = 0; step < STEPS; step++) for (const training of together) await training.run(1);
  for (const [run, training] of together.entries())
    expect(await bitsOf(training), `run ${run}`).toEqual(at(alone, run));
  expect(at(alone, 0)).not.toEqual(at(alone, 1));
});
