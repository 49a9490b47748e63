/**
 * Who waits for whom: what is said when ranks disagree, are late or gone, in every group of a world, and what the
 * flight recorder keeps of it.
 */
import { describe, expect, test } from 'vitest';
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { onStillClock } from '../../base/testing/still-clock';
import type { Dist } from '../dist';
import { spawn } from '../launch/spawn';
import { ones, zeros } from '../tensor';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Whoever waited for this timeout would say so. */
const HOUR_S = 3600;

/** What each rank said; '' where it said nothing. */
async function said(
  fn: (dist: Dist, rank: number) => Promise<unknown>,
  nprocs: number,
  timeoutS = 0.1,
  backend: 'gloo' | 'nccl' = 'gloo',
): Promise<string[]> {
  const texts = Array.from({ length: nprocs }, () => '');
  await onStillClock(() =>
    spawn(
      (dist, rank) =>
        fn(dist, rank).catch(async (error: unknown) => {
          texts[rank] = error instanceof LockstepError ? error.message : String(error);
        }),
      nprocs,
      { backend, timeoutS },
    ),
  );
  return texts;
}

describe('timeouts', () => {
  test('a rank in another call: its position, and its last completed collective', async () => {
    const [zero = '', one = ''] = await said(async (dist, rank) => {
      await dist.broadcast(ones([2]), 0);
      if (rank === 0) await dist.allReduce(ones([2]), { site: 'train.py:12' });
      else await dist.recv(zeros([1]), 0, { site: 'train.py:20' });
    }, 2);
    const who =
      'rank 0 waits in all_reduce (seq 1) at train.py:12; rank 1 last completed seq 0 (broadcast) and is in recv from rank 0 at train.py:20.';
    expect(zero).toBe(`Timed out waiting 100ms for recv operation to complete: ${who}`);
    // Aborted on all ranks, with the same account.
    expect(one).toBe(zero);
  });

  test('nccl’s error has the words of its watchdog', async () => {
    const [zero] = await said(
      async (dist, rank) => (rank === 0 ? dist.allReduce(ones([4])) : pause(150)),
      2,
      0.1,
      'nccl',
    );
    expect(zero).toMatch(
      /^Watchdog caught collective operation timeout: WorkNCCL\(SeqNum=0, OpType=ALLREDUCE, NumelIn=4, Timeout\(ms\)=100\).*rank 1 has completed nothing here and has not called since\.$/,
    );
  });

  test('send without recv; two that both send first', async () => {
    const [zero, one] = await said((dist, rank) => dist.send(ones([1]), 1 - rank), 2);
    expect(zero).toContain('Timed out waiting 100ms for send operation to complete: rank 0 waits in send to rank 1');
    expect(zero).toContain('is in send to rank 0');
    expect(one).toContain('is in send to rank');
  });

  test('monitoredBarrier names all missing ranks; the error of the other ranks refers to rank 0', async () => {
    const texts = await said(
      async (dist, rank) => (rank % 2 === 0 ? dist.monitoredBarrier({ timeoutS: 0.05 }) : pause(120)),
      4,
      5,
    );
    expect(texts[0]).toContain('[Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 50 ms');
    expect(texts[2]).toContain(
      'Rank 2 successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0.',
    );
    expect([texts[1], texts[3]]).toEqual(['', '']);
  });

  test('only the waiting group is aborted; a late call gets the reason', async () => {
    const texts = await said(
      async (dist, rank) => {
        const pair = await dist.newGroup([0, 1], { timeoutS: 0.03 });
        if (rank === 1) await pause(60);
        const failed = rank < 2 ? await dist.allReduce(ones([1]), { group: pair }).then(() => '', String) : '';
        await dist.barrier();
        if (failed !== '') throw new Error(failed);
      },
      3,
      5,
    );
    expect(texts[0]).toContain('Timed out waiting 30ms');
    expect(texts[1]).toContain('Timed out waiting 30ms');
    expect(texts[2]).toBe('');
  });
});

describe('ranks of another opinion', () => {
  test.each<[string, (dist: Dist, rank: number) => Promise<unknown>, RegExp]>([
    ['root', (dist, rank) => dist.broadcast(ones([2]), rank), /Root=0.* but Rank 1 .*Root=1/],
    [
      'operation',
      (dist, rank) => dist.allReduce(ones([2]), { op: rank === 0 ? 'sum' : 'max' }),
      /ReduceOp=SUM.* but Rank 1 .*ReduceOp=MAX/,
    ],
    [
      'group',
      (dist, rank) => dist.newGroup(rank === 0 ? [0] : [0, 1]),
      /OpType=NEW_GROUP, Ranks=\[0\].* but Rank 1 .*Ranks=\[0, 1\]/,
    ],
    [
      'order',
      (dist, rank) =>
        Promise.all(
          rank === 0 ? [dist.allReduce(ones([2])), dist.barrier()] : [dist.barrier(), dist.allReduce(ones([2]))],
        ),
      /SequenceNumber=0, OpType=ALLREDUCE.* but Rank 1 .*SequenceNumber=0, OpType=BARRIER/,
    ],
  ])('%s', async (_, fn, expected) => {
    const texts = await said(fn, 2, 5);
    expect(texts[0]).toMatch(/^Detected mismatch between collectives on ranks\. Rank 0 /);
    expect(texts[0]).toMatch(expected);
    expect(texts[1]).toMatch(/^Detected mismatch between collectives on ranks\. Rank 1 .* but Rank 0 /);
  });

  test('both sides of a message', async () => {
    const texts = await said((dist, rank) => (rank === 0 ? dist.send(ones([4]), 1) : dist.recv(zeros([3]), 0)), 2, 5);
    expect(texts[0]).toMatch(
      /Rank 0 sends \[4\] Float at ledger\.test\.ts:\d+, but rank 1 receives \[3\] Float at ledger\.test\.ts:\d+/,
    );
    expect(texts[1]).toBe(texts[0]);
  });

  test("places of the calls follow PyTorch's message, marked as ours, and are not within it", async () => {
    const texts = await said(
      (dist, rank) => dist.allReduce(rank === 0 ? ones([1]) : ones([2]), { site: `train.py:${9 - rank}` }),
      2,
    );
    expect(texts[0]).toMatch(
      /^[^[]*\(.*TensorShape=\[1\].*\), but Rank 1 .*\)\. \[Lockstep: rank 0 at train\.py:9, rank 1 at train\.py:8\]$/,
    );
    expect(texts[0]?.split(' [Lockstep')[0]).not.toContain('train.py');
  });

  test('the line of each side', async () => {
    const texts = await said((dist, rank) => {
      if (rank === 0) return dist.allReduce(ones([1]));
      return dist.allReduce(ones([2]));
    }, 2);
    const lines = [...(texts[0] ?? '').matchAll(/ledger\.test\.ts:(\d+)/g)].map((match) => Number(match[1]));
    expect(lines).toHaveLength(2);
    expect(at(lines, 1)).toBe(at(lines, 0) + 1);
  });

  test('a rank that calls fewer collectives and ends: the other ranks get an error at once', async () => {
    const texts = await said(
      async (dist, rank) => {
        for (let i = 0; i < 2 + rank; i++) await dist.allReduce(ones([1]));
      },
      2,
      HOUR_S,
    );
    expect(texts[0]).toBe('');
    expect(texts[1]).toMatch(
      /^Connection closed by peer \[rank 0\]: rank 1 waits in all_reduce \(seq 2\) at .*; rank 0 last completed seq 1 \(all_reduce\) and has ended\.$/,
    );
  });
});

test("the flight recorder has completed, waiting and failed calls, with PyTorch's names", async () => {
  const dumps: ReturnType<Dist['dumpFlightRecorder']>[] = [];
  await said(async (dist, rank) => {
    await dist.allReduce(ones([2, 3]), { site: 'train.py:5' });
    if (rank === 0) await dist.send(ones([1]), 1);
    else await dist.recv(zeros([1]), 0);
    const work = rank === 0 ? dist.broadcast(ones([4]), 0, { asyncOp: true }) : undefined;
    dumps[rank] = dist.dumpFlightRecorder();
    await work?.wait().catch(() => {});
    if (rank === 1) await pause(150);
  }, 2);
  const [zero, one] = dumps;
  expect(JSON.parse(JSON.stringify(zero))).toMatchObject({
    version: '2.4',
    rank: 0,
    pg_config: { 0: { name: '0', desc: 'default_pg', ranks: '[0, 1]' } },
    pg_status: { 0: { last_enqueued_collective: 1, last_started_collective: 0, last_completed_collective: 0 } },
    entries: [
      {
        record_id: 0,
        collective_seq_id: 0,
        profiling_name: 'gloo:all_reduce',
        input_sizes: [[2, 3]],
        input_dtypes: ['Float'],
        state: 'completed',
        is_p2p: false,
        retired: true,
        timeout_ms: 100,
        frames: [{ filename: 'train.py', line: 5 }],
      },
      { profiling_name: 'gloo:send', is_p2p: true, p2p_seq_id: 1, state: 'completed' },
      {
        profiling_name: 'gloo:broadcast',
        collective_seq_id: 1,
        state: 'scheduled',
        retired: false,
        time_discovered_completed_ns: null,
      },
    ],
  });
  expect(one?.entries).toHaveLength(2);
});
