/**
 * Starts ranks: spawn(fn, nprocs) as torch.multiprocessing.spawn, launch(fn, plan) as torchrun would start a
 * LaunchPlan. Each rank is an asynchronous function with its own Dist; all run in this thread, like threads on one
 * processor. When one throws, the others get an error, and spawn() rejects.
 */
import type { AlgorithmName } from '../../protocol/collective';
import type { LaunchPlan, RankEnvironment } from '../../protocol/process-group';
import { Cluster } from '../cluster';
import { clusterAccess } from '../cluster-access';
import { Dist } from '../dist';
import { checkNprocs } from './check-nprocs';
import { supervise } from './supervise';

interface InitOptions {
  /** Calls initProcessGroup with it before the function; absent: the function does. */
  readonly backend?: string;
  readonly timeoutS?: number;
  readonly algorithm?: AlgorithmName;
}

export interface SpawnOptions extends InitOptions {
  /** Default: one of its own. */
  readonly cluster?: Cluster;
}

export type RankFunction<T> = (dist: Dist, rank: number) => Promise<T>;

/** Results in order of rank. */
export async function spawn<T>(fn: RankFunction<T>, nprocs = 1, options: SpawnOptions = {}): Promise<T[]> {
  const worldSize = checkNprocs(nprocs);
  const environments = Array.from({ length: worldSize }, (_, rank) => ({
    host: 'localhost',
    environment: spawnEnvironment(rank, worldSize),
  }));
  return runRanks(fn, environments, options);
}

export async function launch<T>(fn: RankFunction<T>, plan: LaunchPlan, options: SpawnOptions = {}): Promise<T[]> {
  const ranks = plan.nodes.flatMap(({ host, ranks: own }) => own.map((environment) => ({ host, environment })));
  for (let restart = 0; ; restart++) {
    const environment = {
      TORCHELASTIC_RESTART_COUNT: String(restart),
      TORCHELASTIC_MAX_RESTARTS: String(plan.maxRestarts),
      TORCHELASTIC_RUN_ID: plan.rendezvous.id,
    };
    try {
      return await runRanks(fn, ranks, options, environment);
    } catch (error) {
      // torchrun restarts all workers, not only the failed one.
      if (restart >= plan.maxRestarts) throw error;
    }
  }
}

interface Process {
  readonly host: string;
  readonly environment: RankEnvironment;
}

async function runRanks<T>(
  fn: RankFunction<T>,
  processes: readonly Process[],
  options: SpawnOptions,
  extra: Readonly<Record<string, string>> = {},
): Promise<T[]> {
  const { cluster = new Cluster() } = options;
  return supervise(
    processes.map(({ host, environment }) => {
      const dist = new Dist(clusterAccess(cluster, host), { ...asVariables(environment), ...extra });
      return {
        async run() {
          await initialize(dist, options);
          return fn(dist, environment.RANK);
        },
        end: (why: string) => dist.end(why),
      };
    }),
  );
}

/** If a backend is given, the launcher initialises; otherwise the function does. */
export async function initialize(dist: Dist, { backend, timeoutS, algorithm }: InitOptions): Promise<void> {
  if (backend === undefined) return;
  await dist.initProcessGroup({
    backend,
    ...(timeoutS === undefined ? {} : { timeoutS }),
    ...(algorithm === undefined ? {} : { algorithm }),
  });
}

export const spawnEnvironment = (rank: number, nprocs: number): RankEnvironment => ({
  RANK: rank,
  LOCAL_RANK: rank,
  GROUP_RANK: 0,
  WORLD_SIZE: nprocs,
  LOCAL_WORLD_SIZE: nprocs,
  MASTER_ADDR: '127.0.0.1',
  MASTER_PORT: 29_500,
  CUDA_VISIBLE_DEVICES: undefined,
});

export const asVariables = (environment: RankEnvironment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
