/**
 * The failures that a restart of all ranks may cure, and the words for a restart. Called by restart-policy.ts and
 * recovery-notices.ts.
 */
import type { ErrorCode, LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';
import { stepWords } from '../../protocol/micro-batches';
import type { Checkpoint } from '../checkpoint/checkpoint';

const RESTARTABLE: ReadonlySet<ErrorCode> = new Set(['device-lost', 'rank-failed', 'timeout', 'gpu'] as const);

export const isRestartable = ({ code }: LockstepError): boolean => RESTARTABLE.has(code);

/** Whether a rank failed, not a device that all ranks may share. */
export const isOfRank = ({ code }: LockstepError): boolean => code === 'rank-failed' || code === 'timeout';

export const restartingText = (restarts: number, most: number): string =>
  `All ranks are being started again (restart ${restarts} of ${most}).`;

export const restartsWords = (restarts: number): string =>
  restarts === 1 ? 'The one restart (maxRestarts) is' : `All ${restarts} restarts (maxRestarts) are`;

/** The sentence about a restart from the last checkpoint, as with torchrun. */
export function restartText(from: Checkpoint | undefined, config: Config, restarts: number): string {
  const place = from?.microBatch ? `the checkpoint of ${stepWords(from.microBatch, config)}` : 'the start';
  return `All ranks were started again from ${place} (restart ${restarts} of ${config.maxRestarts}).`;
}
