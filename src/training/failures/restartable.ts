/** The failures that a restart of all ranks may cure. */
import type { ErrorCode, LockstepError } from '../../base/errors';

const RESTARTABLE: ReadonlySet<ErrorCode> = new Set(['device-lost', 'rank-failed', 'timeout', 'gpu'] as const);

export const isRestartable = ({ code }: LockstepError): boolean => RESTARTABLE.has(code);

/** Whether a rank failed, not a device that all ranks may share. */
export const isOfRank = ({ code }: LockstepError): boolean => code === 'rank-failed' || code === 'timeout';
