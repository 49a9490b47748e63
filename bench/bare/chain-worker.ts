/** The worker of one rank of the chain. Started by chain.ts. */
import * as Comlink from 'comlink';
import { type ChainPlan, type ChainRank, createChainRank } from './chain-rank';

let rank: ChainRank | undefined;

const api = {
  async open(plan: ChainPlan, next: MessagePort, before: MessagePort): Promise<void> {
    rank = await createChainRank(navigator.gpu, plan, next, before);
  },
  async run(count: number): Promise<void> {
    await rank?.run(count);
  },
};

export type ChainApi = typeof api;
Comlink.expose(api);
