/**
 * spawn() and launch(): what comes back, what is said when a rank throws, and that torchrun's variables and restarts
 * are there.
 */
import { expect, test } from 'vitest';
import { ALGORITHM_NAMES } from '../../protocol/collective';
import type { LaunchPlan } from '../../protocol/process-group';
import { siteOf } from '../call-site';
import { Cluster } from '../cluster';
import { ones, tensor } from '../tensor';
import { launch, spawn } from './spawn';

test('a rank that throws ends the others, and says so as torch.multiprocessing does', async () => {
  const told: string[] = [];
  const whole = spawn(
    async (dist, rank) => {
      if (rank === 1) throw new RangeError('boom');
      await dist.allReduce(ones([1])).catch((error: Error) => {
        told[rank] = error.message;
        throw error;
      });
    },
    3,
    { backend: 'gloo', timeoutS: 30 },
  );
  await expect(whole).rejects.toMatchObject({
    code: 'rank-failed',
    message: '-- Process 1 terminated with the following error:\nRangeError: boom',
    details: { rank: 1 },
  });
  for (const rank of [0, 2])
    expect(told[rank]).toMatch(
      /^Connection closed by peer \[rank 1\]: .*rank 1 has completed nothing here and terminated with RangeError: boom\.$/,
    );
});

test('without a backend the function initialises itself, from the variables that a launcher sets', async () => {
  const cluster = new Cluster();
  const ranks = await spawn(
    async (dist, rank) => {
      expect(dist.environment).toMatchObject({ RANK: String(rank), WORLD_SIZE: '2', LOCAL_RANK: String(rank) });
      await dist.initProcessGroup();
      const x = tensor([rank]);
      await dist.allReduce(x);
      return x.data[0];
    },
    2,
    { cluster },
  );
  expect(ranks).toEqual([1, 1]);
});

const plan = (maxRestarts: number): LaunchPlan => {
  const environment = (rank: number) => ({
    RANK: rank,
    LOCAL_RANK: rank % 2,
    GROUP_RANK: Math.floor(rank / 2),
    WORLD_SIZE: 4,
    LOCAL_WORLD_SIZE: 2,
    MASTER_ADDR: 'gpu01',
    MASTER_PORT: 29_400,
    CUDA_VISIBLE_DEVICES: undefined,
  });
  return {
    launcher: 'torchrun',
    nodes: ['gpu01', 'gpu02'].map((host, node) => ({
      host,
      ranks: [environment(2 * node), environment(2 * node + 1)],
    })),
    worldSize: 4,
    maxRestarts,
    rendezvous: { id: 'job', backend: 'c10d', endpoint: 'gpu01:29400' },
    script: ['train.py'],
    notes: [],
  };
};

test('the ranks of two nodes connect at the master; all ranks restart when one fails', async () => {
  let starts = 0;
  const run = (maxRestarts: number, failures: number) =>
    launch(
      async (dist, rank) => {
        if (rank === 0) starts++;
        if (rank === 3 && Number(dist.environment.TORCHELASTIC_RESTART_COUNT) < failures) throw new Error('unlucky');
        const x = tensor([rank]);
        await dist.allReduce(x);
        return [x.data[0], dist.environment.LOCAL_RANK, dist.environment.TORCHELASTIC_RESTART_COUNT];
      },
      plan(maxRestarts),
      { backend: 'gloo', timeoutS: 5 },
    );
  expect(await run(2, 2)).toEqual([0, 1, 2, 3].map((rank) => [6, String(rank % 2), '2']));
  expect(starts).toBe(3);
  await expect(run(1, 2)).rejects.toMatchObject({ code: 'rank-failed', details: { rank: 3 } });
});

test.each(ALGORITHM_NAMES)('%s: each group by an algorithm of its own, which knows the nodes', async (algorithm) => {
  const sums = await launch(
    async (dist, rank) => {
      const odd = await dist.newGroup([1, 2, 3], { algorithm });
      const [x, y] = [tensor([rank, 1, 2, 3, rank]), tensor([rank])];
      await dist.allReduce(x);
      await dist.allReduce(y, { group: odd });
      return [...x.data, ...y.data];
    },
    plan(0),
    { backend: 'gloo', timeoutS: 5, algorithm },
  );
  expect(sums).toEqual([0, 1, 2, 3].map((rank) => [6, 4, 8, 12, 6, rank === 0 ? 0 : 6]));
});

test('call sites are read from stacks', () => {
  const stack = 'Error\n    at async train (file:///home/me/train.ts:12:5)\n    at run (x.ts:1:1)';
  expect(siteOf(stack)).toEqual({ name: 'train', filename: '/home/me/train.ts', line: 12 });
  expect(siteOf('Error\n    at https://host/a.js:3:9')).toEqual({ name: '', filename: 'https://host/a.js', line: 3 });
  expect(siteOf('Error')).toBeUndefined();
});

test('nprocs: one rank by default, and invalid numbers of ranks are refused', async () => {
  expect(await spawn(async (_, rank) => rank)).toEqual([0]);
  for (const nprocs of [Number.NaN, 1.5, Number.POSITIVE_INFINITY, 2n, '4', null, {}])
    await expect(spawn(async (_, rank) => rank, nprocs as number)).rejects.toMatchObject({
      code: 'distributed',
      message: expect.stringMatching(/^spawn\(\): nprocs is .+, which is not a whole number of ranks\.$/),
    });
  for (const nprocs of [-1, 0, 65, 1e9])
    await expect(spawn(async (_, rank) => rank, nprocs)).rejects.toThrow(
      `spawn(): nprocs is ${nprocs}; it must be from 1 to 64.`,
    );
});
