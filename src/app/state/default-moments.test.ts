/** The number of moments per step in the run with which the page opens: few enough to press "Step moment" for each. */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { byMoments } from '../../trace/moments/moments';
import { createBlueprint } from '../../training/blueprint';
import { createTraining } from '../../training/create-training';
import { DeviceKeeper } from '../../training/device-keeper';
import { PAGE_CONFIG } from '../edit/page-config';

test('a step of the default run has at most 60 moments, before the buckets are rebuilt and after', async () => {
  const blueprint = createBlueprint({ ...PAGE_CONFIG, device: 'cpu', compareSingle: false }, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  for (let step = 0; step < 3; step++) {
    const { moments } = byMoments(must(await training.trace(), 'trace'));
    expect(moments.length).toBeGreaterThan(20);
    expect(moments.length).toBeLessThanOrEqual(60);
    // All ranks take part in every moment.
    for (const { events } of moments) expect(events.length).toBeGreaterThanOrEqual(PAGE_CONFIG.worldSize);
  }
  await training.dispose();
});
