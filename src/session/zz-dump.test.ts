import { it } from 'vitest';
import { printTrace } from '../trace/text';
import { createBlueprint } from './blueprint';
import { DeviceKeeper } from './device-keeper';
import { parseConfig } from './parse-config';
import { createTraining } from './training';

it('dump', async () => {
  for (const [mode, n] of [
    ['modelParallel', 2],
    ['dataParallel', 2],
    ['ddp', 3],
  ] as const) {
    const training = await createTraining(
      createBlueprint(
        parseConfig({ mode, worldSize: n, batchSize: 6, device: 'cpu', ddp: { bucketCapMb: 0.0002 } }),
        {},
      ),
      { keeper: new DeviceKeeper(undefined, false), gpu: undefined },
    );
    if (mode === 'ddp') await training.run(1);
    console.log(printTrace(await training.trace()));
  }
});
