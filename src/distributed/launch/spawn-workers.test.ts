/**
 * Ranks behind the ports that workers have, in this thread: stores, groups, tensors and errors cross;
 * e2e/distributed.spec.ts has real workers.
 */
import * as Comlink from 'comlink';
import { expect, test } from 'vitest';
import { LockstepError } from '../../base/errors';
import { createRankProcess } from './rank-process';
import { type RankThread, spawnWorkers } from './spawn-workers';

const module = (body: string): string =>
  `data:text/javascript,${encodeURIComponent(`export default async (dist, rank, torch) => { ${body} };`)}`;

function inThisThread(): { readonly start: () => RankThread; readonly crash: ((error: Error) => void)[] } {
  const crash: ((error: Error) => void)[] = [];
  const start = () => {
    const { port1, port2 } = new MessageChannel();
    Comlink.expose(createRankProcess(), port2);
    const crashed = new Promise<never>((_, reject) => crash.push(reject));
    crashed.catch(() => {});
    return { endpoint: port1, crashed, terminate: () => port1.close() };
  };
  return { start, crash };
}

const run = (body: string, nprocs: number) =>
  spawnWorkers(module(body), nprocs, { backend: 'gloo', timeoutS: 5 }, inThisThread().start);

test('collectives, sub-groups, messages and the store', async () => {
  const results = await run(
    `const x = torch.tensor([rank, 1]);
     await dist.allReduce(x);
     const odd = await dist.newGroup([1]);
     const y = torch.full([1], 2 ** 30 + 1, 'i32');
     if (rank === 0) await dist.send(y, 2); else if (rank === 2) await dist.recv(y = torch.zeros([1], 'i32'), 0);
     await dist.store.set('from' + rank, 'rank ' + rank);
     const said = await dist.store.get('from' + (rank + 1) % 3);
     return { x: [...x.data], said, mine: dist.getRank(odd), size: await dist.store.add('n', 1) > 0 };`.replace(
      'const y',
      'let y',
    ),
    3,
  );
  expect(results).toEqual(
    [0, 1, 2].map((rank) => ({ x: [3, 3], said: `rank ${(rank + 1) % 3}`, mine: rank === 1 ? 0 : -1, size: true })),
  );
});

test('errors keep their type and fields; the rank that throws is named', async () => {
  const whole = await run(`await dist.allReduce(torch.ones([2 + rank]), { site: 'a.js:1' });`, 2).catch(
    (e: unknown) => e,
  );
  const errors = (whole as LockstepError).details['errors'] as readonly LockstepError[];
  for (const error of errors) {
    expect(error).toBeInstanceOf(LockstepError);
    expect(error.message).toMatch(/^Detected mismatch/);
    expect(error.details['type']).toBe('RuntimeError');
  }
  await expect(run(`if (rank === 1) throw new TypeError('no'); await dist.barrier();`, 2)).rejects.toThrow(
    '-- Process 1 terminated with the following error:\nTypeError: no',
  );
  await expect(spawnWorkers('data:text/javascript,1', 1, {}, inThisThread().start)).rejects.toThrow(
    'no default export',
  );
  await expect(spawnWorkers(module(''), 1, { backend: 'nccl' }, inThisThread().start)).rejects.toThrow(
    "doesn't have NCCL built in",
  );
});

test('a thread that crashes is a rank that died: the others get an error at once', async () => {
  const { start, crash } = inThisThread();
  // Rank 1 says when rank 0 waits: what rank 0 sends after its question has been answered comes after its barrier.
  const heard = new BroadcastChannel('rank 0 waits');
  heard.onmessage = () => crash[1]?.(new Error('out of memory'));
  const whole = spawnWorkers(
    module(
      `if (rank === 0) {
         const waits = dist.barrier();
         await dist.store.numKeys();
         await dist.store.set('waits', '');
         await waits;
       } else {
         await dist.store.get('waits');
         new BroadcastChannel('rank 0 waits').postMessage('');
         await new Promise(() => {});
       }`,
    ),
    2,
    { backend: 'gloo', timeoutS: 30 },
    start,
  ).catch((e: unknown) => e);
  const error = (await whole) as LockstepError;
  heard.close();
  expect(error.message).toContain('Process 1 terminated');
  expect((error.details['errors'] as readonly LockstepError[])[0]?.message).toMatch(
    /^Connection closed by peer \[rank 1\]: rank 0 waits in barrier .*Error: out of memory/,
  );
});
