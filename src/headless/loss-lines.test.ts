/** Which devices have a line of their own in the loss chart, and where their losses are in the records. */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { mlpLayers } from '../protocol/presets';
import { createBlueprint } from '../training/blueprint';
import { createTraining } from '../training/create-training';
import { DeviceKeeper } from '../training/device-keeper';
import { sessionInfo } from './session-info';

test.each([
  ['each DDP rank has its own samples', { mode: 'ddp', worldSize: 4 }, ['rank 0', 'rank 1', 'rank 2', 'rank 3']],
  ['ranks of a tensor group compute one loss', { mode: 'tensor', worldSize: 4 }, ['rank 0']],
  ['the last stage computes the loss', { mode: 'pipeline', worldSize: 2 }, ['rank 1']],
  ['two ranks share the last stage', { mode: 'pipeline', mesh: { pp: 2, tp: 2 } }, ['rank 2']],
  ['two replicas of the last stage', { mode: 'pipeline', mesh: { pp: 2, dp: 2 } }, ['rank 2', 'rank 3']],
  ['two replicas, two ranks each', { mode: 'pipeline', mesh: { pp: 2, dp: 2, tp: 2 } }, ['rank 4', 'rank 6']],
  ['a process with three devices', { mode: 'dataParallel', worldSize: 3 }, ['cuda:0']],
  ['workers of a server', { mode: 'parameterServer', worldSize: 4 }, ['worker 1', 'worker 2', 'worker 3']],
] as const)('%s', async (_, settings, titles) => {
  const config = parseConfig({
    ...settings,
    device: 'cpu',
    compareSingle: false,
    batchSize: 48,
    data: { type: 'xor', samples: 96 },
    model: { layers: mlpLayers([2, 4, 4, 1], 'Tanh') },
  });
  const training = await createTraining(createBlueprint(config, {}), {
    keeper: new DeviceKeeper(undefined, true),
    gpu: undefined,
  });
  const { lossLines } = sessionInfo(training);
  const { losses } = await training.trace();
  await training.dispose();
  expect(lossLines.map(({ title }) => title)).toEqual(titles);
  const own = lossLines.map(({ place }) => at(losses.perRank, place));
  expect(own.reduce((sum, loss) => sum + loss, 0) / own.length).toBeCloseTo(losses.loss, 6);
});
