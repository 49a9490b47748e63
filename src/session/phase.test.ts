/** All ways between the states of an open run. */
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { SessionPhase } from './phase';

const lost = new LockstepError('device-lost', 'The device was lost.', 'Press Play.');
const killed = new LockstepError('rank-failed', 'Rank 1 was killed.', 'Press Reset.');

test('the first failure is the one that counts, until the training has been replaced', () => {
  const phase = new SessionPhase();
  expect(phase.is).toBe('runs');
  expect(phase.breaks(lost)).toBe(lost);
  expect(phase.breaks(killed)).toBe(lost);
  expect([phase.is, phase.failure]).toEqual(['broken', lost]);
  phase.mended();
  expect([phase.is, phase.failure]).toEqual(['runs', undefined]);
  expect(phase.breaks(killed)).toBe(killed);
});

test('a closed session stays closed', () => {
  const phase = new SessionPhase();
  phase.close();
  phase.breaks(lost);
  expect([phase.is, phase.failure]).toEqual(['closed', lost]);
  phase.mended();
  expect(phase.is).toBe('closed');
});
