/** Which failures a restart of all ranks may cure, and how a restart is told. Shared by the page's runs (running.ts) and headless ones (run.ts). */
import type { ErrorCode, LockstepError } from '../../base/errors';

const RESTARTABLE: ReadonlySet<ErrorCode> = new Set(['device-lost', 'rank-failed', 'timeout', 'gpu'] as const);

export const isRestartable = ({ code }: LockstepError): boolean => RESTARTABLE.has(code);

/** Of a rank, and not of the device that all may share. */
export const isOfRank = ({ code }: LockstepError): boolean => code === 'rank-failed' || code === 'timeout';

export const restartingText = (restarts: number, most: number): string =>
  `All ranks are being started again (restart ${restarts} of ${most}).`;

export const restartsWords = (restarts: number): string =>
  restarts === 1 ? 'The one restart (maxRestarts) is' : `All ${restarts} restarts (maxRestarts) are`;

/** As torchrun does it: `from` is the step of the checkpoint. */
export const restartText = (from: number | undefined, restarts: number, most: number): string =>
  `All ranks were started again from ${from ? `the checkpoint of step ${from}` : 'the start'} (restart ${restarts} of ${most}).`;
