/**
 * One rank in its own thread: loads the user's module and runs its default export with a Dist. rank-process-worker.ts
 * puts it into a worker.
 */
import * as Comlink from 'comlink';
import { toWire } from '../../base/errors';
import type { AlgorithmName } from '../../protocol/collective';
import { Dist } from '../dist';
import { full, ones, tensor, zeros } from '../tensor';
import { torchError } from '../torch-error';
import type { ClusterHost } from './cluster-host';
import { remoteAccess } from './remote-access';
import { initialize } from './spawn';
import { rankError } from './supervise';

export interface RankTask {
  /** Its default export: async (dist, rank, torch) => result. `torch` makes tensors. */
  readonly module: string;
  readonly rank: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly backend?: string;
  readonly timeoutS?: number;
  readonly algorithm?: AlgorithmName;
}

export interface RankProcess {
  run(task: RankTask, host: MessagePort): Promise<unknown>;
}

const TORCH = { tensor, ones, zeros, full };

export function createRankProcess(): RankProcess {
  return {
    async run({ module, rank, environment, ...init }, port) {
      const dist = new Dist(remoteAccess(Comlink.wrap<ClusterHost>(port)), environment);
      try {
        // biome-ignore lint/plugin: a module of the user's, not a part of Lockstep
        const { default: main } = (await import(/* @vite-ignore */ module)) as { readonly default?: unknown };
        if (typeof main !== 'function')
          throw torchError(
            'TypeError',
            `${module} has no default export to run.`,
            'export default async (dist, rank, torch) => { ... }',
          );
        await initialize(dist, init);
        const result: unknown = await main(dist, rank, TORCH);
        await dist.end('has ended');
        return result;
      } catch (error) {
        throw toWire(rankError(error));
      }
    },
  };
}
