/**
 * Notices while a failed run restarts, after it has restarted, and when it is given up. Pure; called by supervisor.ts.
 */
import type { LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';
import { stepOf, stepWords } from '../../protocol/micro-batches';
import type { Notice } from '../../protocol/notice';
import type { Checkpoint } from '../checkpoint/checkpoint';
import { isOfRank } from './restartable';

const restartingText = (restarts: number, most: number): string =>
  `All ranks are being started again (restart ${restarts} of ${most}).`;

const restartsWords = (restarts: number): string =>
  restarts === 1 ? 'The one restart (maxRestarts) is' : `All ${restarts} restarts (maxRestarts) are`;

/** The sentence about a restart from the last checkpoint, as with torchrun. */
function restartText(from: Checkpoint | undefined, config: Config, restarts: number): string {
  const place = from?.microBatch ? `the checkpoint of ${stepWords(from.microBatch, config)}` : 'the start';
  return `All ranks were started again from ${place} (restart ${restarts} of ${config.maxRestarts}).`;
}

export interface RestartCount {
  readonly restarts: number;
  readonly config: Config;
}

const warning = (id: string, text: string, more: Partial<Notice> = {}): Notice => ({
  level: 'warning',
  id,
  text,
  hint: '',
  ...more,
});

/** Shown at once, and later replaced by the outcome. A lost device has no such notice. */
export const restartingNotice = (failure: LockstepError, { restarts, config }: RestartCount): Notice | undefined =>
  isOfRank(failure)
    ? warning(failure.code, `${failure.message} ${restartingText(restarts, config.maxRestarts)}`)
    : undefined;

export interface Recovered extends RestartCount {
  readonly failure: LockstepError;
  /** The checkpoint that the ranks loaded. */
  readonly from: Checkpoint | undefined;
  /** Number of micro-batches that the run has completed. */
  readonly microBatch: number;
  /**
   * playing: it continues by itself. waits: it waits for the user, because devices are lost repeatedly. paused: it was
   * not playing.
   */
  readonly outcome: 'playing' | 'waits' | 'paused';
  /** Devices lost in close succession. */
  readonly losses: number;
  readonly adapter: string;
}

export function recoveredNotice(recovered: Recovered): Notice {
  const { failure, from, microBatch, outcome, losses, adapter, restarts, config } = recovered;
  const where = microBatch > 0 ? stepWords(microBatch, config) : 'the start';
  const goesOn =
    outcome === 'playing' ? `Training continues by itself from ${where}` : `Training continues from ${where}`;
  if (isOfRank(failure))
    return warning(failure.code, `${failure.message} ${restartText(from, config, restarts)} ${goesOn}.`);
  if (outcome !== 'waits') return warning(failure.code, `${failure.message} ${goesOn} on ${adapter}.`);
  return warning(
    failure.code,
    `${failure.message} The device was lost ${losses} times in close succession, so this run may be the cause: training waits at ${where} on ${adapter}.`,
    { hint: 'Press Play to continue, or try a smaller model or batch.', untilPlay: true },
  );
}

export interface GivenUp {
  readonly failure: LockstepError;
  /** The second failure, if that is why the run is given up. */
  readonly again: LockstepError | undefined;
  /** Whether the run is given up because of `maxRestarts`. */
  readonly usedUp: boolean;
  readonly config: Config;
  /** Micro-batches that the run had completed, and those that are in the state that is left. */
  readonly reached: number;
  readonly left: number;
  readonly hasCheckpoint: boolean;
}

export function gaveUpNotice({ failure, again, usedUp, config, reached, left, hasCheckpoint }: GivenUp): Notice {
  const why = again ? `${failure.message} It could not be restarted: ${again.message}` : failure.message;
  const used = usedUp && config.maxRestarts > 0 ? ` ${restartsWords(config.maxRestarts)} used up.` : '';
  const lost = stepOf(reached, config) - stepOf(left, config);
  const gone =
    lost > 0 ? ` The ${lost === 1 ? 'step' : `${lost} steps`} after it ${lost === 1 ? 'is' : 'are'} lost.` : '';
  const kept = hasCheckpoint
    ? ` The weights of ${stepWords(left, config)} are kept: they can be shown and saved.${gone}`
    : ` There is no checkpoint yet: only the start of the run is left.${gone}`;
  return { level: 'error', id: failure.code, text: `${why}${used}${kept}`, hint: (again ?? failure).hint };
}
