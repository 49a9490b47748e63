/**
 * Starts ranks: spawn(fn, nprocs) as torch.multiprocessing.spawn, launch(fn, plan) as torchrun would start a LaunchPlan. Each rank is an asynchronous function
 * with a Dist of its own; all run in this thread, as threads of one processor would. When one throws, the others are told and the whole is an error.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { within } from '../../base/within';
import type { AlgorithmName } from '../../protocol/collective';
import type { LaunchPlan, RankEnvironment } from '../../protocol/process-group';
import { Cluster } from '../cluster';
import { clusterAccess } from '../cluster-access';
import { Dist } from '../dist';
import { torchError } from '../torch-error';

export interface SpawnOptions {
  /** Default: one of its own. */
  readonly cluster?: Cluster;
  /** Calls initProcessGroup with it before the function; absent: the function does. */
  readonly backend?: string;
  readonly timeoutS?: number;
  readonly algorithm?: AlgorithmName;
}

export type RankFunction<T> = (dist: Dist, rank: number) => Promise<T>;

/** What is given to the ranks that are still running when one has failed. */
const GRACE_MS = 500;

/** os._exit(code) in a rank. */
export class ProcessExit extends Error {
  constructor(readonly code: number) {
    super(`exit code ${code}`);
  }
}

/** Results in order of rank. */
export function spawn<T>(fn: RankFunction<T>, nprocs: number, options: SpawnOptions = {}): Promise<T[]> {
  const environments = Array.from({ length: nprocs }, (_, rank) => ({
    host: 'localhost',
    environment: spawnEnvironment(rank, nprocs),
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
      // torchrun starts all workers again, not only the one that failed.
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
  const { cluster = new Cluster(), backend, timeoutS, algorithm } = options;
  const dists = processes.map(
    ({ host, environment }) => new Dist(clusterAccess(cluster, host), { ...asEnvironment(environment), ...extra }),
  );
  const errors: (LockstepError | undefined)[] = dists.map(() => undefined);
  let failed: number | undefined;
  const running = dists.map(async (dist, rank) => {
    try {
      if (backend !== undefined)
        await dist.initProcessGroup({
          backend,
          ...(timeoutS === undefined ? {} : { timeoutS }),
          ...(algorithm === undefined ? {} : { algorithm }),
        });
      const result = await fn(dist, rank);
      await dist.end('has ended');
      return result;
    } catch (error) {
      failed ??= rank;
      errors[rank] = rankError(error);
      await dist.end(`terminated with ${typeOf(at(errors, rank) ?? error)}`);
      throw error;
    }
  });
  try {
    return await Promise.all(running);
  } catch {
    const first = failed ?? 0;
    // The others learn from their next call that it has gone; one that never calls again is left behind.
    await within(GRACE_MS, Promise.allSettled(running));
    await Promise.all(dists.map((dist) => dist.end(`was ended because rank ${first} failed`)));
    throw processError(first, errors);
  }
}

function processError(rank: number, errors: readonly (LockstepError | undefined)[]): LockstepError {
  const error = errors[rank];
  const exit = error?.details.exitCode;
  const message =
    exit === undefined
      ? `-- Process ${rank} terminated with the following error:\n${error?.message ?? ''}`
      : `process ${rank} terminated with exit code ${String(exit)}`;
  return new LockstepError('rank-failed', message, error?.hint ?? '', { rank, errors });
}

function rankError(error: unknown): LockstepError {
  if (error instanceof LockstepError) return error;
  if (error instanceof ProcessExit)
    return torchError('process died', error.message, '', { exitCode: error.code }, 'rank-failed');
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new LockstepError('rank-failed', text, '', { type: error instanceof Error ? error.name : 'Error' });
}

const typeOf = (error: unknown): string => {
  if (!(error instanceof LockstepError)) return String(error);
  const { type, exitCode } = error.details;
  return exitCode === undefined ? `${String(type ?? error.code)}: ${error.message}` : `exit code ${String(exitCode)}`;
};

const spawnEnvironment = (rank: number, nprocs: number): RankEnvironment => ({
  RANK: rank,
  LOCAL_RANK: rank,
  GROUP_RANK: 0,
  WORLD_SIZE: nprocs,
  LOCAL_WORLD_SIZE: nprocs,
  MASTER_ADDR: '127.0.0.1',
  MASTER_PORT: 29_500,
  CUDA_VISIBLE_DEVICES: undefined,
});

const asEnvironment = (environment: RankEnvironment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
