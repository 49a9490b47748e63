/**
 * spawn() with one worker per rank: real threads, each with its own memory, connected by gloo over MessagePorts; the
 * stores and ledgers stay in this thread. A rank runs the default export of a module, because a function cannot be sent
 * to a worker. A crashed worker counts as a dead rank.
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

/** A thread for a rank; tests use it in place of a worker. */
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
