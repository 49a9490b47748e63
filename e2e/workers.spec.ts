import type { Page } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { isolate } from './isolate';
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

test(
  'ranks in workers of an isolated page send messages through shared memory, and hear that a rank was killed',
  placeInBrowser({ rest: 'shared-transport.test.ts sends messages between threads of Node' }),
  async ({ playground }) => {
    const config = {
      mode: 'ddp',
      worldSize: 4,
      device: 'cpu',
      steps: 12,
      batchSize: 12,
      data: { type: 'xor', samples: 60 },
    };
    await isolate(playground.page);
    await playground.open(`${TINY}&mode=single&device=cpu`);
    expect(await playground.page.evaluate(() => crossOriginIsolated)).toBe(true);
    // Many times as many ranks as cores.
    for (const worldSize of [4, 12]) {
      const shared = await playground.run({ ...config, worldSize, placement: 'shared' });
      const workers = await playground.run({ ...config, worldSize, placement: 'workers' });
      expect(workers.weightsSha256).toBe(shared.weightsSha256);
    }
    // A rank that sleeps in shared memory still hears that another rank has died.
    await playground.open(`${TINY}&data=gauss&mode=ddp&world=3&device=cpu&placement=workers`);
    await playground.button('Play').click();
    await expect.poll(() => playground.number('Step')).toBeGreaterThan(3);
    const before = await playground.number('Step');
    const kill = playground.page.getByRole('group', { name: 'Failures' }).getByRole('button', { name: 'Kill rank 1' });
    await kill.focus();
    await playground.page.keyboard.press('Enter');
    await expect(playground.notice(/Rank 1 \(cuda:1\) was killed at step \d+.*started again/)).toBeVisible();
    await expect.poll(() => playground.number('Step'), { timeout: 30_000 }).toBeGreaterThan(before + 20);
  },
);

const CHANNEL = 'end of rank 1';

/** In the session's worker: the first rank 1 runs this statement when the test asks it to. */
const rank1Runs = (statement: string): string => `
  const Original = Worker;
  let first = true;
  self.Worker = class extends Original {
    constructor(url, options) {
      if (options?.name !== 'rank 1' || !first) return super(url, options);
      first = false;
      const ends = ${JSON.stringify(`new BroadcastChannel("${CHANNEL}").onmessage = () => { ${statement} };`)};
      super(URL.createObjectURL(new Blob(['import ' + JSON.stringify(String(url)) + ';' + ends], { type: 'text/javascript' })), options);
    }
  };`;

const endRank1 = (page: Page): Promise<void> =>
  page.evaluate((name) => new BroadcastChannel(name).postMessage('now'), CHANNEL);

test.describe(() => {
  // The script that ends the rank is loaded into the workers as a blob:, which the page's policy forbids.
  test.use({ bypassCSP: true });

  test(
    'a notice says that a rank died, and training continues with new ranks',
    placeInBrowser({ rest: 'failures.spec.ts kills a rank, and where.spec.ts ends the worker of the session' }),
    async ({ playground }) => {
      await addWorkerPrelude(playground.page, rank1Runs('throw new Error("rank 1 is gone");'));
      await playground.open(`${TINY}&data=gauss&mode=ddp&world=2&device=cpu&placement=workers`);
      await playground.iterate(1);
      await endRank1(playground.page);
      await expect(playground.notice(/Rank 1 .*rank 1 is gone.*Training continues/)).toBeVisible();
      await playground.playUntilStep(10);
      await expect(playground.status('Replica divergence')).toHaveText(/^0/);
    },
  );

  test(
    'workers that sleep until a message comes: the page says who waits for whom, and Reset and the timeout end the wait',
    placeInBrowser({ rest: 'shared-transport.test.ts hangs a rank among threads of Node' }),
    async ({ playground }) => {
      test.slow();
      const { page } = playground;
      await addWorkerPrelude(page, rank1Runs('for (;;);'));
      await isolate(page);
      const link = `${TINY}&data=gauss&mode=ddp&world=4&device=cpu&placement=workers`;
      const stage = playground.region('Stage');
      const stuck = async () => {
        await playground.button('Play').click();
        await expect.poll(() => playground.number('Step')).toBeGreaterThan(3);
        // The thread of rank 1 computes for ever, and answers nobody. It reads this message only when it has no step to
        // compute, which can take long on a machine with more ranks than cores.
        await endRank1(page);
        await expect(stage).toContainText(
          /is stuck, .* until the timeout: rank 1 is late.*; rank \d waits for it in all_reduce/,
          { timeout: 60_000 },
        );
      };
      await playground.open(`${link}&timeout=600`);
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
      await stuck();
      await playground.reset();
      await expect(stage).not.toContainText('until the timeout');
      await playground.iterate(2);

      // In a new session's worker.
      await page.goto('about:blank');
      await playground.open(`${link}&timeout=6`);
      await stuck();
      await expect(playground.notice(/Timed out.*continues by itself/)).toBeVisible({ timeout: 30_000 });
      const back = await playground.number('Step');
      await expect.poll(() => playground.number('Step'), { timeout: 30_000 }).toBeGreaterThan(back + 10);
    },
  );
});
