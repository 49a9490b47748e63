/** The words about a group that hangs, on the stage and in its rooms. */
import { describe, expect, test } from 'vitest';
import type { Standstill } from '../../protocol/session-events';
import { standingWords, standstillSentence } from './standstill-words';

const hang: Standstill = {
  microBatch: 41,
  accumulate: 1,
  waitedMs: 2100,
  timeoutMs: 60_000,
  ranks: [
    { rank: 0, is: 'waiting', at: 'all_reduce of bucket 0 (seq 1)', waitsFor: 2 },
    { rank: 1, is: 'waiting', at: 'all_reduce of bucket 0 (seq 1)', waitsFor: 2 },
    { rank: 2, is: 'late', at: 'backward of 2.weight', waitsFor: undefined },
  ],
};

describe('the sentence', () => {
  test('names the late rank, the waiting ranks with their collective, and the remaining time', () => {
    expect(standstillSentence(hang)).toBe(
      'Step 42 is stuck, 58 s until the timeout: rank 2 is late, at backward of 2.weight; ranks 0 and 1 wait for it in all_reduce of bucket 0 (seq 1)',
    );
  });

  test('calls the processes of a parameter server what the page calls them', () => {
    const names = ['server', 'worker 1', 'worker 2'];
    const ofServer: Standstill = {
      ...hang,
      ranks: hang.ranks.map((one, rank) => ({ ...one, name: names[rank] ?? '', at: 'recv of w' })),
    };
    expect(standstillSentence(ofServer)).toBe(
      'Step 42 is stuck, 58 s until the timeout: worker 2 is late, at recv of w; server and worker 1 wait for it in recv of w',
    );
    expect(standingWords(ofServer, 1)).toContain('waits for worker 2');
  });

  test('names for which rank each rank waits in a chain of waiting ranks', () => {
    const [zero, one, two] = hang.ranks;
    if (!zero || !one || !two) throw new Error('three ranks');
    const chain: Standstill = { ...hang, ranks: [{ ...zero, waitsFor: 1 }, one, { ...two, at: undefined }] };
    expect(standstillSentence(chain)).toBe(
      'Step 42 is stuck, 58 s until the timeout: rank 2 is late, it has not reported where; rank 1 waits for it in all_reduce of bucket 0 (seq 1); rank 0 waits for rank 1 in all_reduce of bucket 0 (seq 1)',
    );
  });

  test('no rank waits any longer for a rank that has ended', () => {
    const ended: Standstill = {
      ...hang,
      waitedMs: undefined,
      ranks: hang.ranks.map((r) => (r.rank === 2 ? { ...r, is: 'ended' } : r)),
    };
    expect(standstillSentence(ended)).toBe(
      'Step 42 is stuck: rank 2 has ended; ranks 0 and 1 wait for it in all_reduce of bucket 0 (seq 1)',
    );
  });
});

test('a room says what its rank does, longest first', () => {
  expect(standingWords(hang, 0)).toEqual([
    'waits for rank 2 in all_reduce of bucket 0 (seq 1); 58 s until the timeout',
    'waits for rank 2, 58 s left',
    'waits for rank 2',
    'waits',
  ]);
  expect(standingWords(hang, 2)?.at(-1)).toBe('late');
  expect(standingWords({ ...hang, ranks: [{ rank: 0, is: 'running', at: undefined, waitsFor: undefined }] }, 0)).toBe(
    undefined,
  );
});
