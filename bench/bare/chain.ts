/**
 * The ranks (chain-rank.ts) of a bare all-reduce over MessagePorts: in a page one worker per rank, under Node all ranks
 * in this thread, like Lockstep's own ranks.
 */
import * as Comlink from 'comlink';
import { type ChainPlan, type ChainRank, createChainRank } from './chain-rank';
import type { ChainApi } from './chain-worker';

export async function createChain(
  { ranks, bytes, way }: Omit<ChainPlan, 'rank'>,
  gpu: GPU | undefined,
): Promise<ChainRank> {
  const channels = Array.from({ length: ranks }, () => new MessageChannel());
  /** Rank r sends through channel r to rank r - 1. */
  const ends = channels.map(({ port1 }, rank) => {
    const before = channels[(rank + 1) % ranks]?.port2;
    if (!before) throw new Error('a ring has one channel per rank');
    return { plan: { rank, ranks, bytes, way }, next: port1, before };
  });
  if (gpu !== undefined) {
    const own = await Promise.all(ends.map(({ plan, next, before }) => createChainRank(gpu, plan, next, before)));
    return {
      run: async (count) => void (await Promise.all(own.map((rank) => rank.run(count)))),
      dispose() {
        for (const rank of own) rank.dispose();
      },
    };
  }
  const workers = ends.map(() => new Worker(new URL('./chain-worker.ts', import.meta.url), { type: 'module' }));
  const apis = workers.map((worker) => Comlink.wrap<ChainApi>(worker));
  await Promise.all(
    apis.map((api, r) => {
      const end = ends[r];
      if (!end) throw new Error('one end per rank');
      return api.open(end.plan, Comlink.transfer(end.next, [end.next]), Comlink.transfer(end.before, [end.before]));
    }),
  );
  return {
    run: async (count) => void (await Promise.all(apis.map((api) => api.run(count)))),
    dispose() {
      for (const worker of workers) worker.terminate();
    },
  };
}
