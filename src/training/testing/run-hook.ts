/** The script of parallel/ddp/fixtures/comm-hooks.json as a run of ours. */

import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';

export const HOOK_RUN: ConfigInput = {
  model: {
    layers: [{ type: 'Linear', in: 12, out: 16 }, { type: 'Tanh' }, { type: 'Linear', in: 16, out: 8 }],
  },
  loss: { type: 'MSELoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  data: { type: 'randomRegression', samples: 48, in: 12, out: 8 },
  batchSize: 24,
  seed: 3,
  compareSingle: false,
};

/** Losses of every step, and each device's parameters after the last. */
export async function runHook(config: ConfigInput, device: 'cpu' | 'webgpu', steps: number, gpu?: GPU) {
  const keeper = new DeviceKeeper(gpu, true);
  const blueprint = createBlueprint(parseConfig({ ...HOOK_RUN, ...config, device }), {});
  const training = await createTraining(blueprint, { keeper, gpu });
  try {
    const records = [(await training.trace()).losses, ...(await training.run(steps - 1))];
    return { records, parameters: (await training.weights()).devices };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}
