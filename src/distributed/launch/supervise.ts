/**
 * Supervises running ranks: returns results in order of rank; if one fails, the others get an error, and the call
 * rejects. Called by spawn.ts and spawn-workers.ts.
 */
import { LockstepError } from '../../base/errors';
import { within } from '../../base/within';
import { torchError } from '../torch-error';

export interface Supervised<T> {
  run(): Promise<T>;
  /** The rank leaves. `why`: "has ended", "terminated with ValueError: boom". */
  end(why: string): Promise<void>;
}

/** The time that the other ranks have to end after one has failed. */
const GRACE_MS = 500;

/** os._exit(code) in a rank. */
export class ProcessExit extends Error {
  constructor(readonly code: number) {
    super(`exit code ${code}`);
  }
}

export async function supervise<T>(ranks: readonly Supervised<T>[]): Promise<T[]> {
  const errors: (LockstepError | undefined)[] = ranks.map(() => undefined);
  let failed: number | undefined;
  const running = ranks.map(async ({ run, end }, rank) => {
    try {
      const result = await run();
      await end('has ended');
      return result;
    } catch (error) {
      failed ??= rank;
      const own = rankError(error);
      errors[rank] = own;
      await end(`terminated with ${typeOf(own)}`);
      throw own;
    }
  });
  try {
    return await Promise.all(running);
  } catch {
    const first = failed ?? 0;
    // The others notice at their next call that the rank has gone; a rank that never calls again is abandoned.
    await within(GRACE_MS, Promise.allSettled(running));
    await Promise.all(ranks.map(({ end }) => end(`was ended because rank ${first} failed`)));
    throw processError(first, errors);
  }
}

/** Turns whatever a rank's function throws into an error that can cross threads. */
export function rankError(error: unknown): LockstepError {
  if (error instanceof LockstepError) return error;
  if (error instanceof ProcessExit)
    return torchError('process died', error.message, '', { exitCode: error.code }, 'rank-failed');
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new LockstepError('rank-failed', text, '', { thrown: true });
}

function processError(rank: number, errors: readonly (LockstepError | undefined)[]): LockstepError {
  const error = errors[rank];
  const exit = error?.details['exitCode'];
  const message =
    exit === undefined
      ? `-- Process ${rank} terminated with the following error:\n${error?.message ?? ''}`
      : `process ${rank} terminated with exit code ${String(exit)}`;
  return new LockstepError('rank-failed', message, error?.hint ?? '', { rank, errors });
}

function typeOf(error: LockstepError): string {
  const { type, exitCode, thrown } = error.details;
  if (exitCode !== undefined) return `exit code ${String(exitCode)}`;
  return thrown === true ? error.message : `${String(type ?? error.code)}: ${error.message}`;
}
