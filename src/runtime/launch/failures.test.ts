/**
 * A process group whose ranks are killed, end by themselves, or hang, in a world of workers (whose code runs behind
 * ports in this thread), with and without shared memory, and in one executor: everybody who waits hears it at once,
 * with who it was and where the others stood; nothing is left behind.
 */
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { at, must } from '../../base/invariant';
import { onStillClock } from '../../base/testing/still-clock';
import { programKey } from '../../protocol/step-kind';
import { createPortMesh } from '../transport/rank-links';
import { createLocalWorld } from './local-world';
import { openExecutors } from './open-executors';
import { FakeWorker } from './testing/fake-worker';
import { type SmallWorld, smallWorld, writeStart } from './testing/small-world';
import { createWorkerWorld } from './worker-world';
import type { Fault, World } from './world';

beforeEach(() => {
  FakeWorker.made.length = 0;
  vi.stubGlobal('Worker', FakeWorker);
});
afterEach(() => {
  for (const worker of FakeWorker.made) expect(worker.terminated).toBe(true);
  vi.unstubAllGlobals();
});

const TIMEOUT_MS = 600;
const small = smallWorld('ddp', 3);
const group = { timeoutMs: TIMEOUT_MS, slow: [] };

const WORLDS: Readonly<Record<string, (small: SmallWorld) => Promise<World>>> = {
  'workers behind ports': (s) => {
    vi.stubGlobal('SharedArrayBuffer', undefined);
    return createWorkerWorld(s, 'cpu', s.rankOfDevice, group);
  },
  'workers that share memory': (s) => createWorkerWorld(s, 'cpu', s.rankOfDevice, group),
  'ports in one thread': async ({ programs, table, rankOfDevice }) => {
    const mesh = createPortMesh(rankOfDevice.length);
    const devices = rankOfDevice.map((_, d) => d);
    const ports = new Map(devices.map((d) => [d, must(mesh[d], 'ports')]));
    return createLocalWorld(
      await openExecutors({ kind: 'cpu', programs, devices, ports, group }, { gpu: undefined }),
      table,
      group,
    );
  },
  'one executor': async ({ programs, table, rankOfDevice }) => {
    const devices = rankOfDevice.map((_, d) => d);
    return createLocalWorld(await openExecutors({ kind: 'cpu', programs, devices }, { gpu: undefined }), table, group);
  },
};
const names = Object.keys(WORLDS);
/** Loads the modules of each world, because the still clock does not wait for modules. */
beforeAll(async () => {
  for (const name of names) {
    vi.stubGlobal('Worker', FakeWorker);
    await (await open(name)).dispose();
    vi.unstubAllGlobals();
  }
});
const open = async (name: string): Promise<World> => {
  const world = await must(WORLDS[name], name)(small);
  await writeStart(world, small);
  return world;
};

/** The last instruction of backward on that rank: the others have come to the all-reduce by then. */
const endOfBackward = (rank: number): number =>
  must(
    at(at(small.programs, 0).lanes, rank).instructions.findLast((i) => i.kind === 'compute' && i.phase === 'backward'),
    'backward',
  ).id;
/** However long the machine pauses, only who hangs is late. */
const still =
  (body: (name: string) => Promise<void>) =>
  (name: string): Promise<void> =>
    onStillClock(() => body(name));
const feedsWith = (fault: Fault) =>
  small
    .steps(0, 3)
    .map((feed, microBatch) => ({ ...feed, microBatch, ...(microBatch === fault.microBatch ? { fault } : {}) }));

test.each(names)(
  '%s: killed by hand',
  still(async (name) => {
    const world = await open(name);
    await world.kill(1);
    const lost = await world.lost;
    expect(lost).toMatchObject({ code: 'rank-failed', message: 'Rank 1 (cuda:1) was killed.', details: { rank: 1 } });
    await expect(world.run(small.steps(0, 1))).rejects.toMatchObject({ code: 'rank-failed', details: { rank: 1 } });
    await world.dispose();
  }),
);

test.each(names)(
  '%s: killed before an instruction; where the others were',
  still(async (name) => {
    const world = await open(name);
    const fault: Fault = { what: 'kill', rank: 2, microBatch: 1, instruction: endOfBackward(2) };
    const error: unknown = await world.run(feedsWith(fault)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'rank-failed',
      message: 'Rank 2 (cuda:2) was killed.',
      details: { rank: 2, fault },
    });
    const { positions } = (error as { details: { positions: { device: number; microBatch: number }[] } }).details;
    for (const device of [0, 1])
      expect(positions.find((p) => p.device === device)).toMatchObject({
        program: programKey(at(smallWorld('ddp', 3).programs, 0).kind),
      });
    expect(await world.lost).toEqual(error);
    await world.dispose();
  }),
);

test('a worker that ends by itself is noticed though nobody waits for it', () =>
  onStillClock(async () => {
    const world = await open('workers behind ports');
    must(FakeWorker.made[0], 'worker 0').end();
    expect(await world.lost).toMatchObject({
      code: 'rank-failed',
      message: 'Rank 0 (cuda:0) ended: its worker no longer exists.',
      details: { rank: 0 },
    });
    await world.dispose();
  }));

test.each(names)(
  '%s: after the timeout a rank that hangs ends all ranks, and the error says which rank waits for which',
  still(async (name) => {
    const world = await open(name);
    const fault: Fault = { what: 'hang', rank: 2, microBatch: 1, instruction: endOfBackward(2) };
    const calls = [world.run(feedsWith(fault)), world.run(small.steps(3, 4))];
    const errors = await Promise.all(calls.map((call) => call.catch((reason: unknown) => reason)));
    for (const error of errors) {
      expect(error).toMatchObject({
        code: 'timeout',
        message: expect.stringContaining(`Timed out waiting ${TIMEOUT_MS}ms`),
        details: { fault },
      });
    }
    const { positions } = (errors[0] as { details: { positions: object[] } }).details;
    const waits = (device: number) => {
      const place = positions.find((p) => (p as { device: number }).device === device) as
        | { compute: number; comm: number; microBatch: number }
        | undefined;
      expect(place?.microBatch).toBe(1);
      const lane = at(at(small.programs, 0).lanes, device);
      return [place?.compute, place?.comm].map((id) => lane.instructions.find((i) => i.id === id)?.kind);
    };
    for (const device of [0, 1]) expect(waits(device)).toContain('recv');
    await world.dispose();
  }),
);
