/**
 * The errors that end a process group: a rank that ended, or a rank for which others waited too long. Both kinds of
 * worlds throw them; training/failures adds step and code line.
 */
import { LockstepError } from '../../base/errors';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import type { FailureDetails } from './world';

const HINT = 'Restart all ranks.';

const devicesText = (devices: readonly DeviceIndex[]): string => devices.map((device) => `cuda:${device}`).join(', ');

/** `what`: 'was killed', 'failed: out of memory' ... */
export function rankFailed(
  rank: Rank,
  devices: readonly DeviceIndex[],
  what: string,
  details: Omit<FailureDetails, 'rank'>,
): LockstepError {
  return new LockstepError('rank-failed', `Rank ${rank} (${devicesText(devices)}) ${what}.`, HINT, {
    ...details,
    rank,
  });
}

export function groupTimeout(error: LockstepError, details: FailureDetails): LockstepError {
  const fault = details.positions.find((position) => position.fault)?.fault;
  return new LockstepError('timeout', error.message, HINT, { ...details, ...(fault ? { fault } : {}) });
}

export function neverCame(rank: Rank, timeoutMs: number, details: Omit<FailureDetails, 'rank'>): LockstepError {
  return new LockstepError('timeout', `Timed out waiting ${Math.round(timeoutMs)}ms for rank ${rank}`, HINT, {
    ...details,
    rank,
  });
}
