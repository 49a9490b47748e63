import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

const module = (body: string): string =>
  `data:text/javascript,${encodeURIComponent(`export default async (dist, rank, torch) => { ${body} };`)}`;

/** torch.distributed with a real worker per rank. Under Node the same tests run all ranks in one thread. */
test('window.lockstep.spawn: ranks in workers connect, sum, and say which rank waits for which', async ({
  playground,
}) => {
  await playground.open(`${TINY}&mode=single&device=cpu`);
  const { page } = playground;
  const spawn = (body: string, nprocs: number, timeoutS: number) =>
    page.evaluate(
      ([url, n, s]) =>
        window.lockstep
          ?.spawn(url, n, { backend: 'gloo', timeoutS: s })
          .catch((error: { message: string }) => error.message),
      [module(body), nprocs, timeoutS] as const,
    );

  const sums = await spawn(
    `const x = torch.tensor([rank, 1]);
     await dist.allReduce(x);
     const all = [0, 1, 2].map(() => torch.zeros([1]));
     await dist.allGather(all, torch.full([1], rank));
     return { x: [...x.data], all: all.map((t) => t.data[0]), page: typeof window };`,
    3,
    30,
  );
  expect(sums).toEqual([0, 1, 2].map(() => ({ x: [3, 3], all: [0, 1, 2], page: 'undefined' })));

  // Rank 0 fails after its timeout while rank 1 does something else.
  const late = await spawn(
    `if (rank === 0) await dist.allReduce(torch.ones([1]), { site: 'train.js:3' }); else await new Promise(() => {});`,
    2,
    5,
  );
  expect(late).toContain('Process 0 terminated with the following error');
  expect(late).toContain(
    'rank 0 waits in all_reduce (seq 0) at train.js:3; rank 1 has completed nothing here and has not called since',
  );

  const broken = await spawn(
    `if (rank === 1) setTimeout(() => { throw new Error('rank 1 is gone'); }); await dist.barrier(); await new Promise(() => {});`,
    2,
    30,
  );
  expect(broken).toContain('Process 1 terminated');
  expect(broken).toContain('rank 1 is gone');
  await expect.poll(() => page.workers().filter((worker) => /rank-process/.test(worker.url()))).toEqual([]);
});

test(
  'ranks in workers with their own adapters train the same weights',
  placeInBrowser({ rest: 'ranks in workers train in failures.spec.ts' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&mode=single&device=cpu`);
    const config = {
      mode: 'ddp',
      worldSize: 2,
      placement: 'workers',
      steps: 8,
      batchSize: 12,
      data: { type: 'xor', samples: 60 },
    };
    const alike = await playground.run({ ...config, device: 'cpu' });
    const mixed = await playground.run({ ...config, adapters: ['highPerformance', 'cpu'] });
    expect(mixed.device.adapters?.map(({ kind }) => kind)).toEqual(['webgpu', 'cpu']);
    expect(mixed.finalLoss).toBeCloseTo(alike.finalLoss, 5);
    // Each rank runs its own optimiser step on its own device, so only the last bits may differ.
    expect(mixed.replicaDivergence).toBeLessThan(1e-6);
  },
);
