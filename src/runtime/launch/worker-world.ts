/**
 * A world with one worker per process: spawns the workers, distributes the mesh of ports and, if the page may have
 * it, shared memory for messages once, sends calls to all and merges the answers. If a worker dies, keeps others
 * waiting for too long, or does not answer, all pending and later calls fail with a typed error; the remaining ranks
 * get it at once (worker-group.ts).
 */
import * as Comlink from 'comlink';
import { must } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { canShareMemory } from '../can-share-memory';
import type { ExecutorInfo } from '../executor';
import { closePorts, createPortMesh, type Ports } from '../transport/rank-links';
import { createSharedMemory, type SharedMemory } from '../transport/shared-memory';
import type { RankPlan } from './rank';
import { RankHandle, spawnRank } from './rank-handle';
import { WorkerGroup } from './worker-group';
import type { BufferRef, StepFeed, World, WorldGroupOptions, WorldPlan } from './world';

/**
 * Most micro-batches per call: a long run is requested in pieces, so that a slow rank is not mistaken for a dead one.
 */
const MICRO_BATCHES_PER_CALL = 8;

export async function createWorkerWorld(
  plan: WorldPlan,
  kind: 'webgpu' | 'cpu',
  rankOfDevice: readonly Rank[],
  options: WorldGroupOptions,
): Promise<World> {
  const mesh = createPortMesh(rankOfDevice.length);
  const memory = canShareMemory() ? createSharedMemory(rankOfDevice.length) : undefined;
  const group = new WorkerGroup(rankOfDevice);
  try {
    for (const rank of new Set(rankOfDevice)) {
      const devices = rankOfDevice.flatMap((r, device) => (r === rank ? [device] : []));
      group.ranks.push(new RankHandle(rank, devices, spawnRank(rank), group.onFailure));
    }
    const opened = await group.all((rank) => openRank(rank, { plan, kind, mesh, memory, group: options }));
    const info = must(opened[0]?.[0], 'a device');
    const infoOf = new Map(
      group.ranks.flatMap(({ devices }, r) => devices.map((device, k) => [device, opened[r]?.[k] ?? info])),
    );
    for (const rank of group.ranks) rank.lifeline.watch();
    return worldOf(
      group,
      feedParts(plan.programs),
      rankOfDevice.map((_, device) => infoOf.get(device) ?? info),
    );
  } catch (error) {
    await group.dispose();
    for (const ports of mesh) closePorts(ports);
    throw error;
  }
}

/** Gives a rank its part of the plan, its ports, the shared memory and its lifeline. Returns its devices. */
function openRank(
  rank: RankHandle,
  {
    plan,
    kind,
    mesh,
    memory,
    group,
  }: {
    readonly plan: WorldPlan;
    readonly kind: 'webgpu' | 'cpu';
    readonly mesh: readonly Ports[];
    readonly memory: SharedMemory | undefined;
    readonly group: WorldGroupOptions;
  },
) {
  const ports = new Map(rank.devices.map((d) => [d, must(mesh[d], `ports of cuda:${d}`)]));
  const { lock: lifeLock, port } = rank.lifeline;
  const { programs, table } = plan;
  const own: RankPlan = { rank: rank.rank, lifeLock, kind, programs, devices: rank.devices, ports, memory, group };
  const handedOver = [...ports.values()].flatMap((m) => [...m.values()]);
  return rank.api.open(Comlink.transfer(own, handedOver), table, Comlink.transfer(port, [port]));
}

/** The calls of a World on ranks that have opened their devices. */
function worldOf(
  group: WorkerGroup,
  partOf: (feed: StepFeed, rank: RankHandle) => StepFeed,
  devices: readonly ExecutorInfo[],
): World {
  const { ranks } = group;
  return {
    info: must(devices[0], 'a device'),
    devices,
    lost: Promise.race([group.failed, ...ranks.map((rank) => rank.untilLost())]),
    allocatedBytes: (device) => group.ownerOf(device).answer(group.ownerOf(device).api.allocatedBytes(device)),
    async write(writes) {
      await group.all((rank) => rank.api.write(writes.filter((w) => rank.devices.includes(w.device))));
    },
    read: (refs) => readAll(group, refs),
    async run(feeds) {
      group.noteFaults(feeds);
      const pieces = piecesOf(feeds).map(async (piece) => {
        const perRank = await group.all((rank) => rank.api.run(piece.map((feed) => partOf(feed, rank))));
        return piece.map((_, s) => perRank.flatMap((steps) => steps[s] ?? []));
      });
      return (await Promise.all(pieces)).flat();
    },
    async trace(feed) {
      group.noteFaults([feed]);
      const perRank = await group.all((rank) => rank.api.trace(partOf(feed, rank)));
      return { records: perRank.flatMap((r) => r.records), losses: perRank.flatMap((r) => r.losses) };
    },
    async corrupt(corruption) {
      await group.all((rank) => rank.api.corrupt(corruption));
    },
    async kill(rank) {
      const handle = ranks.find((r) => r.rank === rank);
      handle?.kill();
      handle?.fail('was killed');
    },
    positions: (limitMs) => group.positions(limitMs),
    async abort(error) {
      await group.failAll(() => error);
    },
    async lose() {
      const first = must(ranks[0], 'rank 0');
      await first.answer(first.api.lose());
    },
    dispose: () => group.dispose(),
  };
}

/** Reads in the order of `refs`, each buffer from the rank that drives its device. */
async function readAll(group: WorkerGroup, refs: readonly BufferRef[]): Promise<Float32Array[]> {
  const result: Float32Array[] = [];
  await group.all(async (rank) => {
    const own = refs.map((ref, i) => ({ ref, i })).filter(({ ref }) => rank.devices.includes(ref.device));
    const values = own.length > 0 ? await rank.api.read(own.map(({ ref }) => ref)) : [];
    own.forEach(({ i }, k) => {
      result[i] = must(values[k], 'values');
    });
  });
  return result;
}

const NO_ROWS = new Int32Array(0);

/** Returns the part of a feed that a rank's devices load: posting all rows to all ranks took longer than the steps. */
function feedParts(programs: readonly Program[]): (feed: StepFeed, rank: RankHandle) => StepFeed {
  const loaded = new Map<DeviceIndex, Set<number>>();
  for (const { lanes } of programs)
    for (const { device, instructions } of lanes) {
      const own = loaded.get(device) ?? new Set();
      loaded.set(device, own);
      for (const i of instructions) if (i.kind === 'load' && i.source !== 'scalars') own.add(i.dataIndex);
    }
  return (feed, { devices }) => {
    const loads = (dataIndex: number) => devices.some((device) => loaded.get(device)?.has(dataIndex));
    return {
      ...feed,
      microBatches: feed.microBatches.map(({ rows, masks }) => ({
        rows: rows.map((own, dataIndex) => (loads(dataIndex) ? own : NO_ROWS)),
        masks: masks.filter(({ device }) => devices.includes(device)),
      })),
    };
  };
}

function piecesOf(feeds: readonly StepFeed[]): readonly (readonly StepFeed[])[] {
  const pieces: StepFeed[][] = [];
  let room = 0;
  for (const feed of feeds) {
    const size = Math.max(1, feed.microBatches.length);
    if (room < size) {
      pieces.push([]);
      room = MICRO_BATCHES_PER_CALL;
    }
    pieces.at(-1)?.push(feed);
    room -= size;
  }
  return pieces;
}
