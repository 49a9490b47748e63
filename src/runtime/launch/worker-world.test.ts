/**
 * The world of workers, whose code runs behind ports in this thread: the same bits as one executor, and a rank that
 * dies, fails or falls silent is a typed error for everyone who waits.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LockstepError } from '../../base/errors';
import { at, must } from '../../base/invariant';
import { untilIdle } from '../../base/testing/still-clock';
import { PROGRAM_OPS } from '../../parallel/modes';
import { createCpuExecutor } from '../cpu/cpu-executor';
import { createLocalWorld } from './local-world';
import { FakeWorker } from './testing/fake-worker';
import { type SmallWorld, smallWorld, weightsOf, writeStart } from './testing/small-world';
import { createWorkerWorld } from './worker-world';
import type { World, WorldGroupOptions } from './world';

beforeEach(() => {
  FakeWorker.made.length = 0;
  vi.stubGlobal('Worker', FakeWorker);
});
afterEach(() => {
  for (const worker of FakeWorker.made) expect(worker.terminated).toBe(true);
  vi.unstubAllGlobals();
});

const GROUP: WorldGroupOptions = { timeoutMs: 60_000, slow: [] };
const open = (small: SmallWorld, group = GROUP): Promise<World> =>
  createWorkerWorld(small, 'cpu', small.rankOfDevice, group);
const worker = (rank: number): FakeWorker => must(FakeWorker.made[rank], `worker ${rank}`);

describe.each([
  ['ddp', 4, 4],
  ['dataParallel', 3, 1],
  ['modelParallel', 2, 1],
] as const)('%s on %i devices', (mode, worldSize, workers) => {
  test.each(['shared memory', 'ports alone'])(
    'through %s: one worker per process, and bitwise the losses, weights and bytes of one thread',
    async (way) => {
      if (way === 'ports alone') vi.stubGlobal('SharedArrayBuffer', undefined);
      const small = smallWorld(mode, worldSize);
      const world = await open(small);
      expect(FakeWorker.made.map(({ name }) => name)).toEqual(Array.from({ length: workers }, (_, r) => `rank ${r}`));
      const devices = small.rankOfDevice.map((_, device) => device);
      const executor = createCpuExecutor({ programs: small.programs, devices, ops: PROGRAM_OPS });
      const alone = createLocalWorld([{ executor, devices, lose() {}, close() {} }], small.table);
      for (const each of [world, alone]) await writeStart(each, small);
      // More steps than go into one call.
      expect(await world.run(small.steps(0, 21))).toEqual(await alone.run(small.steps(0, 21)));
      const step = at(small.steps(21, 22), 0);
      expect((await world.trace(step)).losses).toEqual((await alone.trace(step)).losses);
      expect(await weightsOf(world, small)).toEqual(await weightsOf(alone, small));
      for (const device of devices) expect(await world.allocatedBytes(device)).toBe(executor.allocatedBytes(device));
      await world.dispose();
    },
  );
});

test.each([
  ['dataParallel', 3],
  ['modelParallel', 2],
] as const)(
  '%s: the worker that hosts all %i devices never sleeps, because nobody else could wake it',
  async (mode, n) => {
    class WorkerThatMaySleep extends FakeWorker {
      constructor(url: URL, options?: WorkerOptions) {
        super(url, options, true);
      }
    }
    vi.stubGlobal('Worker', WorkerThatMaySleep);
    const sleeps = vi.spyOn(Atomics, 'wait');
    const small = smallWorld(mode, n);
    const world = await open(small);
    expect(FakeWorker.made).toHaveLength(1);
    await writeStart(world, small);
    await world.run(small.steps(0, 3));
    await world.trace(at(small.steps(3, 4), 0));
    expect(sleeps).not.toHaveBeenCalled();
    sleeps.mockRestore();
    await world.dispose();
  },
);

test('a rank that dies is a typed error on every call that waits, on every later one, and in `lost`', async () => {
  const small = smallWorld('ddp', 3);
  const world = await open(small);
  await writeStart(world, small);
  worker(1).silent = true;
  const waiting = [
    world.run(small.steps(0, 20)),
    world.trace(at(small.steps(20, 21), 0)),
    weightsOf(world, small),
    world.corrupt(undefined),
    world.allocatedBytes(1),
  ].map((call) => expect(call).rejects.toMatchObject({ code: 'rank-failed', details: { rank: 1 } }));
  worker(1).die('out of memory');
  expect(worker(1).handled).toBe(true);
  await Promise.all(waiting);
  const lost = await world.lost;
  expect(lost).toBeInstanceOf(LockstepError);
  expect(lost).toMatchObject({
    code: 'rank-failed',
    message: 'Rank 1 (cuda:1) failed: out of memory.',
    hint: expect.stringMatching(/Restart all ranks/),
  });
  await expect(world.run(small.steps(0, 1))).rejects.toMatchObject({ code: 'rank-failed' });
  await world.dispose();
});

test('an error in one rank reaches the caller with its class and code while the others wait for messages', async () => {
  const small = smallWorld('ddp', 3);
  const world = await open(small);
  await writeStart(world, small);
  // The rows of rank 2 are missing, so it fails at its first load.
  const feeds = small.steps(0, 1).map((feed) => ({
    ...feed,
    microBatches: feed.microBatches.map(({ rows, masks }) => ({ rows: rows.slice(0, 2), masks })),
  }));
  const error: unknown = await world.run(feeds).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LockstepError);
  expect(error).toMatchObject({ code: 'internal', message: expect.stringMatching(/index 2 is outside/) });
  await world.dispose();
});

test('a rank that does not answer is named; a rank that is slow or waits for another is not', async () => {
  const small = smallWorld('ddp', 2);
  const world = await open(small);
  await writeStart(world, small);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const slow = world.run(small.steps(0, 3));
    vi.advanceTimersByTime(59_000);
    await slow;
    worker(1).silent = true;
    const silent = expect(world.run(small.steps(3, 4))).rejects.toMatchObject({
      code: 'rank-failed',
      message: 'Rank 1 (cuda:1) has not answered for 60 s.',
    });
    // Rank 0 waits for rank 1's messages, but it answers when it is asked.
    vi.advanceTimersByTime(60_000);
    await untilIdle();
    vi.advanceTimersByTime(2_000);
    await silent;
  } finally {
    vi.useRealTimers();
  }
  await world.dispose();
});

test('after dispose() every call is refused, one that waits included', async () => {
  const small = smallWorld('ddp', 2);
  const world = await open(small);
  await writeStart(world, small);
  worker(0).silent = true;
  const waiting = expect(world.run(small.steps(0, 1))).rejects.toMatchObject({ code: 'aborted' });
  await world.dispose();
  await waiting;
  await expect(world.run(small.steps(0, 1))).rejects.toMatchObject({ code: 'aborted' });
});

test('when one rank cannot open, none stays', async () => {
  const small = smallWorld('ddp', 2);
  const opening = createWorkerWorld({ ...small, programs: [] }, 'cpu', [0, 5], GROUP);
  worker(0).silent = true;
  setTimeout(() => worker(0).die('gone'), 5);
  await expect(opening).rejects.toMatchObject({ code: 'rank-failed' });
  // afterEach holds that both workers have been ended.
  expect(FakeWorker.made).toHaveLength(2);
});
