/** nccl on a real GPUDevice: the same results as gloo's on typed arrays, to the bit, integers included. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { ncclOnGpu } from './backends/nccl-on-gpu';
import { Cluster } from './cluster';
import type { Dist } from './dist';
import { spawn } from './launch/spawn';
import { full, tensor, zeros } from './tensor';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

async function rank(dist: Dist): Promise<number[][]> {
  const r = dist.getRank();
  const x = tensor([0.1, 0.2, 0.3, 0.4, 0.5].map((v) => v * (r + 1)));
  await dist.allReduce(x);
  // The same shape again: the executor is kept.
  await dist.allReduce(x, { op: 'sum' });
  const integers = tensor([2 ** 30 + r, -(2 ** 31) + r], { dtype: 'i32' });
  await dist.allReduce(integers, { op: 'bxor' });
  const all = [0, 1, 2].map(() => zeros([2]));
  await dist.allGather(all, full([2], r));
  const y = zeros([1]);
  await Promise.all(
    dist
      .batchIsendIrecv([
        { op: 'isend', tensor: full([1], r), peer: (r + 1) % 3 },
        { op: 'irecv', tensor: y, peer: (r + 2) % 3 },
      ])
      .map((work) => work.wait()),
  );
  await dist.barrier();
  return [x, integers, ...all, y].map(({ data }) => [...data]);
}

test('collectives on one GPUDevice', async () => {
  const cluster = new Cluster({ nccl: ncclOnGpu(await node.open()) });
  const onGpu = await spawn(
    async (dist) => {
      const average = tensor([dist.getRank()]);
      await dist.allReduce(average, { op: 'avg' });
      expect([...average.data]).toEqual([1]);
      return rank(dist);
    },
    3,
    { cluster, backend: 'nccl', timeoutS: 30 },
  );
  expect(onGpu).toEqual(await spawn(rank, 3, { backend: 'gloo', timeoutS: 30 }));
});
