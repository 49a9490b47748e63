/** When a run that has failed is started again and when it goes on by itself, on a clock of the test's own. */
import { describe, expect, test } from 'vitest';
import { type ErrorCode, LockstepError } from '../../base/errors';
import { RestartPolicy } from './restart-policy';

const failure = (code: ErrorCode) => new LockstepError(code, code);
const lost = failure('device-lost');

function policy(most = 3) {
  let nowMs = 0;
  const made = new RestartPolicy(most, () => nowMs);
  return {
    made,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('ranks that fail', () => {
  test('are counted from the start on, as under torchrun, whatever lies between', () => {
    const { made, pass } = policy(2);
    for (const finished of [10, 500]) {
      expect(made.restartsAfter(failure('rank-failed'), finished)).toBe(true);
      made.recovered();
      pass(60_000);
    }
    expect(made.restarts).toBe(2);
    expect(made.restartsAfter(failure('timeout'), 9000)).toBe(false);
    made.clear();
    expect(made.restartsAfter(failure('timeout'), 0)).toBe(true);
  });

  test('other errors end the run', () => {
    expect(policy().made.restartsAfter(failure('data'), 3)).toBe(false);
  });
});

describe('lost devices', () => {
  test('are replaced as often as they are lost while steps come to their end, and the run goes on by itself', () => {
    const { made, pass } = policy(3);
    for (let loss = 1; loss <= 20; loss++) {
      expect(made.restartsAfter(lost, 10 * loss)).toBe(true);
      made.recovered();
      expect(made.waits).toBe(false);
      pass(5000);
    }
    expect(made.restarts).toBe(0);
  });

  test('that are lost in every step end the run', () => {
    const { made } = policy(3);
    expect([1, 2, 3, 4].map(() => made.restartsAfter(lost, 7))).toEqual([true, true, true, false]);
  });

  test('in close succession count as a loop: the run waits for the user, until a device has lasted', () => {
    const { made, pass } = policy(3);
    const waits = [1, 2, 3, 4, 5].map((step) => {
      expect(made.restartsAfter(lost, step)).toBe(true);
      made.recovered();
      pass(100);
      return made.waits;
    });
    expect(waits).toEqual([false, false, false, false, true]);
    pass(5000);
    expect(made.restartsAfter(lost, 99)).toBe(true);
    expect(made.waits).toBe(false);
  });
});
