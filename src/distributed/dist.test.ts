/** torch.distributed on both backends: what the calls give, groups, asynchronous work, point to point. */
import { describe, expect, test } from 'vitest';
import { at } from '../base/invariant';
import type { Dist } from './dist';
import { spawn } from './launch/spawn';
import { full, ones, type Tensor, tensor, zeros } from './tensor';

const values = ({ data }: Tensor): number[] => [...data];
const backends = ['gloo', 'nccl'] as const;
const world = 3;

describe.each(backends)('%s', (backend) => {
  const run = <T>(fn: (dist: Dist, rank: number) => Promise<T>, nprocs = world) =>
    spawn(fn, nprocs, { backend, timeoutS: 5 });

  test('every collective gives the result of its definition', async () => {
    const results = await run(async (dist, rank) => {
      const sum = tensor([rank, 1, 10 * rank]);
      await dist.allReduce(sum);
      const max = tensor([rank, 1 - rank]);
      await dist.allReduce(max, { op: 'max' });
      const sent = full([2], rank);
      await dist.broadcast(sent, 1);
      const reduced = full([2], rank + 1);
      await dist.reduce(reduced, 2, { op: 'product' });
      const part = zeros([2]);
      await dist.scatter(part, rank === 0 ? [0, 1, 2].map((r) => full([2], r + 5)) : undefined, 0);
      const gathered = [0, 1, 2].map(() => zeros([1]));
      await dist.gather(full([1], rank), rank === 1 ? gathered : undefined, 1);
      const all = [0, 1, 2].map(() => zeros([2]));
      await dist.allGather(all, full([2], rank));
      const whole = zeros([3]);
      await dist.allGatherIntoTensor(whole, full([1], rank));
      const share = zeros([2]);
      await dist.reduceScatter(
        share,
        [0, 1, 2].map((r) => full([2], 10 * rank + r)),
      );
      const crossed = [0, 1, 2].map(() => zeros([1]));
      await dist.allToAll(
        crossed,
        [0, 1, 2].map((r) => full([1], 10 * rank + r)),
      );
      const single = zeros([3]);
      await dist.allToAllSingle(single, tensor([0, 1, 2].map((r) => 10 * rank + r)));
      const whole32 = full([1], 2 ** 30 + rank + 1, 'i32');
      await dist.broadcast(whole32, 0);
      await dist.barrier();
      return [sum, max, sent, reduced, part, ...gathered, ...all, whole, share, ...crossed, single, whole32].map(
        values,
      );
    });
    const expected = (rank: number) => [
      [3, 3, 30],
      [2, 1],
      [1, 1],
      rank === 2 ? [6, 6] : [rank + 1, rank + 1],
      [rank + 5, rank + 5],
      ...[0, 1, 2].map((r) => [rank === 1 ? r : 0]),
      ...[0, 1, 2].map((r) => [r, r]),
      [0, 1, 2],
      [30 + 3 * rank, 30 + 3 * rank],
      ...[0, 1, 2].map((r) => [10 * r + rank]),
      [0, 1, 2].map((r) => 10 * r + rank),
      [2 ** 30 + 1],
    ];
    for (let rank = 0; rank < world; rank++) expect(at(results, rank), `rank ${rank}`).toEqual(expected(rank));
  });

  test('asynchronous work: issued at once, waited for later, in whatever order', async () => {
    const results = await run(async (dist, rank) => {
      const [a, b] = [full([4], rank), ones([2])];
      const first = dist.allReduce(a, { asyncOp: true });
      const second = dist.broadcast(b, 0, { asyncOp: true });
      const before = [first.isCompleted(), first.isSuccess()];
      await second.wait();
      await first.getFuture();
      return { before, after: [first.isCompleted(), first.isSuccess(), first.exception()], a: values(a) };
    });
    for (const result of results)
      expect(result).toEqual({ before: [false, false], after: [true, true, undefined], a: [3, 3, 3, 3] });
  });

  test('send and recv are matched by tag and in order; from any rank; in batches', async () => {
    const results = await run(async (dist, rank) => {
      if (rank === 0) {
        await Promise.all([dist.send(tensor([1]), 1, { tag: 7 }), dist.send(tensor([2]), 1)]);
        await dist.send(tensor([3]), 2);
      }
      const [x, y] = [zeros([1]), zeros([1])];
      if (rank === 1) {
        await Promise.all([dist.recv(x, 0), dist.recv(y, 0, { tag: 7 })]);
      }
      const from = rank === 2 ? await dist.recv(x) : -1;
      const z = zeros([1]);
      const works = dist.batchIsendIrecv([
        { op: 'isend', tensor: full([1], rank), peer: (rank + 1) % world },
        { op: 'irecv', tensor: z, peer: (rank + world - 1) % world },
      ]);
      await Promise.all(works.map((work) => work.wait()));
      return [...values(x), ...values(y), from, ...values(z)];
    });
    expect(results).toEqual([
      [0, 0, -1, 2],
      [2, 1, -1, 0],
      [3, 0, 0, 1],
    ]);
  });

  test('sub-groups run at the same time; a rank outside a group gets an error', async () => {
    const results = await run(async (dist, rank) => {
      const [low, high] = [await dist.newGroup([1, 0]), await dist.newGroup([2, 3])];
      const own = rank < 2 ? low : high;
      const x = full([2], rank + 1);
      await dist.allReduce(x, { group: own });
      const y = full([1], rank);
      await dist.broadcast(y, 3, { group: high });
      return {
        x: values(x),
        y: values(y),
        rank: [dist.getRank(low), dist.getRank(high)],
        size: dist.getWorldSize(own),
        warnings: dist.warnings,
      };
    }, 4);
    expect(results.map((r) => r.x[0])).toEqual([3, 3, 7, 7]);
    expect(results.map((r) => r.y[0])).toEqual([0, 1, 3, 3]);
    expect(results.map((r) => r.rank)).toEqual([
      [0, -1],
      [1, -1],
      [-1, 0],
      [-1, 1],
    ]);
    expect(at(results, 0).warnings).toEqual([
      'Running broadcast on global rank 0 which does not belong to the given group.',
    ]);
    expect(at(results, 2).warnings).toEqual([]);
  });

  test('a world of one, and tensors of no elements', async () => {
    const [alone] = await run(async (dist) => {
      const x = tensor([4, 5]);
      await dist.allReduce(x);
      const copy = [zeros([2])];
      await dist.allGather(copy, x);
      await dist.barrier();
      return [...values(x), ...copy.flatMap(values), dist.getWorldSize()];
    }, 1);
    expect(alone).toEqual([4, 5, 4, 5, 1]);
    const none = await run(async (dist) => {
      const x = zeros([0]);
      await dist.allReduce(x);
      return x.data.length;
    });
    expect(none).toEqual([0, 0, 0]);
  });

  test('one rank in several worlds, one after the other', async () => {
    const results = await run(async (dist, rank) => {
      const first = [dist.isInitialized(), dist.getRank(), dist.getBackend()];
      await dist.barrier();
      await dist.destroyProcessGroup();
      const between = dist.isInitialized();
      await dist.initProcessGroup({
        backend,
        initMethod: 'file:///shared/again',
        rank: world - 1 - rank,
        worldSize: world,
      });
      const x = full([1], dist.getRank());
      await dist.broadcast(x, 0);
      return [...first, between, dist.getRank(), ...values(x)];
    });
    expect(results).toEqual([0, 1, 2].map((rank) => [true, rank, backend, false, 2 - rank, 0]));
  });
});
