/** Small runs on the CPU device that stop and go on from files, for the tests of checkpoints. */

import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { createBlueprint } from '../blueprint';
import { writeCheckpoint } from '../checkpoint/checkpoint-file';
import { modelFileName, stateFileName } from '../checkpoint/file-names';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { Training } from '../training';
import type { BufferValue } from '../world-state';

/** Running statistics, dropout, two epochs in a dozen steps. */
export const NET = {
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
} satisfies ConfigInput;

/** What the notice of a resumed run says if nothing differs. */
export const SAME_BITS = /has the same bits as a run without the interruption/;

export async function withTraining<T>(
  config: ConfigInput,
  files: Files,
  use: (training: Training) => Promise<T>,
  gpu?: GPU,
): Promise<T> {
  const keeper = new DeviceKeeper(gpu, true);
  const made = await createTraining(createBlueprint(parseConfig(config), files), { keeper, gpu });
  try {
    return await use(made);
  } finally {
    await made.dispose();
    keeper.forget();
  }
}

/** The files of a checkpoint named "run". `files`: of the data. */
export const savedAfter = (config: ConfigInput, steps: number, files: Files = {}, gpu?: GPU): Promise<Files> =>
  withTraining(
    config,
    files,
    async (t) => {
      await t.run(steps);
      const { model, state } = writeCheckpoint(t.blueprint, await t.checkpoint());
      return { [modelFileName('run')]: model, [stateFileName('run')]: state };
    },
    gpu,
  );

/** Everything that a later step depends on, comparable. */
export async function stateOf(training: Training): Promise<unknown> {
  const { microBatch, values, reference, batches } = await training.checkpoint();
  const { mode } = training.blueprint.config;
  // DataParallel's replicas take device 0's running statistics before each forward pass; what they hold between steps
  // is read by nobody.
  const isLost = ({ device, buffer }: BufferValue) =>
    mode === 'dataParallel' && device > 0 && /running|num_batches/.test(buffer);
  return {
    microBatch,
    values: values.filter((value) => !isLost(value)),
    reference,
    rows: batches.batches,
    generators: batches.generators.map((g) => g.position()),
  };
}
