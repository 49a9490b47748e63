import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';
import { addWorkerPrelude } from './worker-prelude';

/**
 * One worker and one GPUDevice per rank, in a real browser. The tests under Node connect the same ranks in one thread.
 */
test(
  'ranks in workers end with the same weights as ranks on one device',
  placeInBrowser({ rest: 'training/parity/worlds.test.ts holds the placements to the same bits' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&mode=single&device=cpu`);
    for (const [mode, worldSize] of [
      ['ddp', 3],
      ['dataParallel', 2],
      ['modelParallel', 2],
      ['parameterServer', 3],
    ] as const)
      for (const device of ['cpu', 'webgpu'])
        await test.step(`${mode} on ${device}`, async () => {
          const config = { mode, worldSize, device, steps: 12, batchSize: 12, data: { type: 'xor', samples: 60 } };
          const shared = await playground.run({ ...config, placement: 'shared' });
          const workers = await playground.run({ ...config, placement: 'workers' });
          expect(workers.weightsSha256).toBe(shared.weightsSha256);
          expect(workers.device.kind).toBe(device);
          expect(workers.replicaDivergence).toBe(0);
        });
  },
);

/** In the session's worker: the first rank 1 throws when the test asks it to. */
const RANK_1_DIES = `
  const Original = Worker;
  let first = true;
  self.Worker = class extends Original {
    constructor(url, options) {
      if (options?.name !== 'rank 1' || !first) return super(url, options);
      first = false;
      const dies = 'new BroadcastChannel("end of rank 1").onmessage = () => { throw new Error("rank 1 is gone"); };';
      super(URL.createObjectURL(new Blob(['import ' + JSON.stringify(String(url)) + ';' + dies], { type: 'text/javascript' })), options);
    }
  };`;

test.describe(() => {
  // The script that ends the rank is loaded into the workers as a blob:, which the page's policy forbids.
  test.use({ bypassCSP: true });

  test(
    'a notice says that a rank died, and training continues with new ranks',
    placeInBrowser({ rest: 'failures.spec.ts kills a rank, and where.spec.ts ends the worker of the session' }),
    async ({ playground }) => {
      await addWorkerPrelude(playground.page, RANK_1_DIES);
      await playground.open(`${TINY}&data=gauss&mode=ddp&world=2&device=cpu&placement=workers`);
      await playground.iterate(1);
      await playground.page.evaluate(() => new BroadcastChannel('end of rank 1').postMessage('now'));
      await expect(playground.notice(/Rank 1 .*rank 1 is gone.*Training continues/)).toBeVisible();
      await playground.playUntilStep(10);
      await expect(playground.status('Replica divergence')).toHaveText(/^0/);
    },
  );
});
