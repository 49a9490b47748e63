/** Which of the lost ranks is named as the cause, and the words about it. */
import { describe, expect, test } from 'vitest';
import { causeOf, type LostRank } from './lost-ranks';

const place = {
  file: 'train.py',
  line: 87,
  function: 'main',
  text: 'loss.backward()',
  inside: 'backward of _tensor.py',
};
const rank = (number: number, time: number, more: Partial<LostRank> = {}): LostRank => ({
  process: { rank: number, node: 0, pid: 100 + number },
  time,
  ...more,
});
const raised = (number: number, time: number, type: string, message: string): LostRank =>
  rank(number, time, { failed: { ...place, type, message } });
const disconnected = (number: number, time: number): LostRank =>
  raised(number, time, 'RuntimeError', '[/gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:40142');
const timedOut = (number: number, time: number): LostRank =>
  raised(number, time, 'RuntimeError', '[/gloo/tcp/unbound_buffer.cc:81] Timed out waiting 6000ms for recv operation');

describe('the rank that the others were lost for', () => {
  test('raised an exception: it is named with its line, whichever rank torchrun saw first', () => {
    const cause = causeOf([disconnected(0, 1), raised(2, 2, 'ValueError', 'no such thing\nat all')], 30, 1);
    expect(cause).toEqual({
      message: 'Rank 2 failed in train.py, line 87: loss.backward()\nValueError: no such thing\nat all',
      hint: '',
      rank: 2,
    });
  });

  test('lacks a module: the hint says how to get it', () => {
    const hintOf = (message: string) => causeOf([raised(0, 1, 'RuntimeError', message)], 30, 1)?.hint;
    expect(hintOf('Numpy is not available')).toContain('pip install numpy');
    expect(hintOf("No module named 'numpy'")).toContain('pip install numpy');
    expect(hintOf('no such thing')).toBe('');
  });

  test('was killed', () => {
    const cause = causeOf([disconnected(0, 1), disconnected(1, 1), rank(3, 2, { exitCode: -9 })], 30, 1);
    expect(cause).toMatchObject({ message: 'Rank 3 was ended by signal 9 (SIGKILL).', rank: 3 });
    expect(cause?.hint).toContain('out of memory');
  });

  test('hung: the other ranks timed out, and it went on', () => {
    const hung = rank(1, 9, { leftOver: { file: 'train.py', line: 12, text: 'time.sleep(3600)' }, exitCode: -9 });
    const cause = causeOf([timedOut(0, 6), timedOut(2, 6), hung], 6, 1);
    expect(cause?.message).toBe(
      "Rank 1 hung in train.py, line 12: time.sleep(3600)\nranks 0 and 2 waited for it until the process group's timeout of 6 s.",
    );
    expect(cause?.rank).toBe(1);
  });

  test('hung, together with other ranks', () => {
    const hung = [1, 2].map((number) => rank(number, 9, { leftOver: {} }));
    expect(causeOf([timedOut(0, 6), ...hung], 6, 1)?.message).toContain(
      'Ranks 1 and 2 hung (rank 1 in an unknown place; rank 2 in an unknown place)',
    );
  });

  test('only waited for a failed rank, and is not called hung', () => {
    const waiting = rank(0, 9, { leftOver: { file: 'train.py', line: 5 } });
    expect(causeOf([waiting, raised(1, 2, 'OSError', 'disk full')], 30, 1)?.rank).toBe(1);
  });

  test('is on another machine', () => {
    const cause = causeOf([disconnected(0, 1), disconnected(1, 1)], 30, 2);
    expect(cause?.message).toMatch(/^Ranks 0 and 1 lost the connection to a rank of another node/);
    expect(cause?.rank).toBeUndefined();
  });

  test('is none', () => expect(causeOf([], 30, 1)).toBeUndefined());
});
