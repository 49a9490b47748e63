/**
 * A world whose processes live in workers of their own: spawns them, hands out the mesh of ports once, fans calls out and merges the answers. A
 * worker that dies, or does not answer for too long, becomes a typed error on every call that waits.
 */
import * as Comlink from 'comlink';
import { fromWire, isWireError, LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { createPortMesh } from '../transport/port-transport';
import type { ProcessPlan } from './open-executors';
import type { RankApi } from './rank';
import type { World, WorldPlan } from './world';

/** A rank that answers nothing for that long has failed (PyTorch's default is 30 minutes; a page cannot wait so long). */
const SILENCE_MS = 60_000;

interface RankHandle {
  readonly devices: readonly DeviceIndex[];
  readonly api: Comlink.Remote<RankApi>;
  readonly died: Promise<never>;
  terminate(): void;
}

function spawnRank(rank: Rank, devices: readonly DeviceIndex[]): RankHandle {
  const worker = new Worker(new URL('./rank-worker.ts', import.meta.url), { type: 'module', name: `rank ${rank}` });
  const died = new Promise<never>((_, reject) => {
    const fail = (what: string) =>
      reject(new LockstepError('rank-failed', `Rank ${rank} ${what}.`, 'Reset to start all ranks again.', { rank }));
    worker.addEventListener('error', (event) => fail(`failed: ${event.message || 'its worker could not be started'}`));
    worker.addEventListener('messageerror', () => fail('received a message it could not read'));
  });
  died.catch(() => {});
  return { devices, api: Comlink.wrap<RankApi>(worker), died, terminate: () => worker.terminate() };
}

/** The answer of a rank, or the error it died of; never left hanging. */
function answer<T>(rank: RankHandle, call: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new LockstepError(
          'rank-failed',
          `The rank of cuda:${rank.devices.join(', cuda:')} has not answered for ${SILENCE_MS / 1000} s.`,
          'Reset to start all ranks again.',
        ),
      );
    }, SILENCE_MS);
  });
  const typed = call.catch((error: unknown) => {
    throw isWireError(error) ? fromWire(error) : error;
  });
  return Promise.race([typed, rank.died, silent]).finally(() => clearTimeout(timer));
}

export async function createWorkerWorld(
  plan: WorldPlan,
  kind: 'webgpu' | 'cpu',
  rankOfDevice: readonly Rank[],
): Promise<World> {
  const mesh = createPortMesh(rankOfDevice.length);
  const processes = [...new Set(rankOfDevice)];
  const ranks = processes.map((rank) =>
    spawnRank(
      rank,
      rankOfDevice.flatMap((r, device) => (r === rank ? [device] : [])),
    ),
  );
  const dispose = async () => {
    await Promise.allSettled(
      ranks.map((rank) => Promise.race([rank.api.dispose(), new Promise((resolve) => setTimeout(resolve, 500))])),
    );
    for (const rank of ranks) rank.terminate();
  };
  const all = <T>(call: (rank: RankHandle) => Promise<T>): Promise<T[]> =>
    Promise.all(ranks.map((rank) => answer(rank, call(rank))));
  const ownerOf = (device: DeviceIndex): RankHandle =>
    must(
      ranks.find((r) => r.devices.includes(device)),
      `rank of cuda:${device}`,
    );

  try {
    const infos = await all((rank) => {
      const ports = new Map(rank.devices.map((d) => [d, must(mesh[d], `ports of cuda:${d}`)]));
      const own: ProcessPlan = { kind, programs: plan.programs, devices: rank.devices, ports };
      return rank.api.open(
        Comlink.transfer(
          own,
          [...ports.values()].flatMap((m) => [...m.values()]),
        ),
        plan.table,
      );
    });
    const info = must(infos[0], 'a rank');
    const lostDevice = ranks.map((rank) =>
      Promise.race([rank.api.untilLost(), rank.died.catch((error: Error) => error.message)]),
    );

    return {
      info,
      lost: Promise.race(lostDevice),
      allocatedBytes: (device) => answer(ownerOf(device), ownerOf(device).api.allocatedBytes(device)),
      async write(writes) {
        await all((rank) => rank.api.write(writes.filter((w) => rank.devices.includes(w.device))));
      },
      async read(refs) {
        const result: Float32Array[] = [];
        await all(async (rank) => {
          const own = refs.map((ref, i) => ({ ref, i })).filter(({ ref }) => rank.devices.includes(ref.device));
          const values = own.length > 0 ? await rank.api.read(own.map(({ ref }) => ref)) : [];
          own.forEach(({ i }, k) => {
            result[i] = must(values[k], 'values');
          });
        });
        return result;
      },
      async run(feeds) {
        const perRank = await all((rank) => rank.api.run(feeds));
        return feeds.map((_, s) => perRank.flatMap((steps) => steps[s] ?? []));
      },
      async trace(feed) {
        const perRank = await all((rank) => rank.api.trace(feed));
        return { records: perRank.flatMap((r) => r.records), losses: perRank.flatMap((r) => r.losses) };
      },
      async corrupt(corruption) {
        await all((rank) => rank.api.corrupt(corruption));
      },
      async lose() {
        await answer(must(ranks[0], 'rank 0'), must(ranks[0], 'rank 0').api.lose());
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
