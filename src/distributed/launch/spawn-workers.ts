/**
 * spawn() with one worker per rank: real threads, each with memory of its own, joined by gloo over MessagePorts; the
 * stores and ledgers stay in this thread. What a rank runs is the default export of a module, since a function cannot
 * be handed to a worker. A worker that crashes is a rank that died.
 */
import * as Comlink from 'comlink';
import { fromWire, isWireError, LockstepError } from '../../base/errors';
import type { AlgorithmName } from '../../protocol/collective';
import { Cluster } from '../cluster';
import { checkNprocs } from './check-nprocs';
import { hostRank } from './cluster-host';
import type { RankProcess } from './rank-process';
import { asVariables, spawnEnvironment } from './spawn';
import { supervise } from './supervise';

export interface SpawnWorkersOptions {
  /** Calls initProcessGroup with it ('gloo') before the function; absent: the function does. */
  readonly backend?: string;
  readonly timeoutS?: number;
  readonly algorithm?: AlgorithmName;
}

/** A thread for a rank; what the tests put in the place of a worker. */
export interface RankThread {
  readonly endpoint: Comlink.Endpoint;
  /** Rejects when the thread has crashed. */
  readonly crashed: Promise<never>;
  terminate(): void;
}

export async function spawnWorkers(
  module: string,
  nprocs = 1,
  options: SpawnWorkersOptions = {},
  startThread: (rank: number) => RankThread = startWorker,
): Promise<unknown[]> {
  const worldSize = checkNprocs(nprocs);
  const cluster = new Cluster({ nccl: false });
  return supervise(
    Array.from({ length: worldSize }, (_, rank) => {
      const { endpoint, crashed, terminate } = startThread(rank);
      const hosted = hostRank(cluster, 'localhost');
      const { port1, port2 } = new MessageChannel();
      Comlink.expose(hosted.host, port1);
      const task = { module, rank, environment: asVariables(spawnEnvironment(rank, worldSize)), ...options };
      return {
        async run() {
          try {
            const api = Comlink.wrap<RankProcess>(endpoint);
            return await Promise.race([api.run(task, Comlink.transfer(port2, [port2])), crashed]);
          } catch (error) {
            throw isWireError(error) ? fromWire(error) : error;
          }
        },
        async end(why: string) {
          await hosted.end(why);
          terminate();
          port1.close();
        },
      };
    }),
  );
}

function startWorker(rank: number): RankThread {
  const worker = new Worker(new URL('./rank-process-worker.ts', import.meta.url), {
    type: 'module',
    name: `rank ${rank}`,
  });
  const crashed = new Promise<never>((_, reject) => {
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      reject(new LockstepError('rank-failed', event.message || 'The worker of the rank could not be started.', ''));
    });
  });
  crashed.catch(() => {});
  return { endpoint: worker, crashed, terminate: () => worker.terminate() };
}
