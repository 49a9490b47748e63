/**
 * Runs the rendezvous of four processes for the drawing `rendezvous`: calls init_process_group of distributed/ with a
 * store that records each process's calls. One process starts last, or never.
 */
import { Cluster } from '../../distributed/cluster';
import { clusterAccess } from '../../distributed/cluster-access';
import { initWorld } from '../../distributed/init-world';
import type { Meeting as Met, StoreAccess } from '../../distributed/store/rendezvous';
import type { DrawnCall, DrawnMeeting } from '../drawing/kinds/rendezvous';

const WORLD = 4;
const PORT = 29_500;
/**
 * The timeout of a rendezvous that completes; one that never completes has a short timeout, because the build waits for
 * it.
 */
const PATIENCE_MS = 60_000;
const SOON_MS = 40;

const ORDERS: Readonly<Record<string, readonly number[]>> = {
  'rank 3': [0, 1, 2, 3],
  'rank 0': [1, 2, 3, 0],
  never: [0, 1, 2],
};

export const meetings = (): Promise<readonly DrawnMeeting[]> =>
  Promise.all(Object.entries(ORDERS).map(async ([late, order]) => ({ late, moments: await meet(order) })));

/** One moment per process that starts, with all its calls until it waits; and a last moment in which all waits end. */
async function meet(order: readonly number[]): Promise<DrawnMeeting['moments']> {
  const calls: DrawnCall[] = [];
  const moments: DrawnCall[][] = [];
  const cluster = new Cluster();
  const timeoutMs = order.length === WORLD ? PATIENCE_MS : SOON_MS;
  const processes: Promise<void>[] = [];
  for (const rank of order) {
    processes.push(start(rank, cluster, timeoutMs, (call) => calls.push(call)));
    await settled();
    moments.push(calls.splice(0));
  }
  await Promise.all(processes);
  const last = moments.at(-1) ?? [];
  const end = last.findIndex(({ what }) => what === 'returns');
  return [
    ...moments.slice(0, -1),
    end < 0 ? last : last.slice(0, end),
    [...(end < 0 ? [] : last.slice(end)), ...calls],
  ];
}

/** Resolves when no process can go on without another. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

async function start(
  rank: number,
  cluster: Cluster,
  timeoutMs: number,
  note: (call: DrawnCall) => void,
): Promise<void> {
  const request = {
    ...{ backend: 'gloo', initMethod: `tcp://node0:${PORT}`, rank, worldSize: WORLD, environment: {}, timeoutMs },
  };
  note({ rank, what: 'starts' });
  try {
    await initWorld(request, noting(clusterAccess(cluster, 'node0'), rank, note));
    note({ rank, what: 'returns' });
  } catch {
    note({ rank, what: 'raises' });
  }
}

const noting = (access: StoreAccess, rank: number, note: (call: DrawnCall) => void): StoreAccess => ({
  file: (...asked) => access.file(...asked),
  async tcp(host, port, serves, timeoutMs) {
    note({ rank, what: serves ? 'serves' : 'connects' });
    const met = await access.tcp(host, port, serves, timeoutMs);
    if (!serves) note({ rank, what: 'is connected' });
    return { ...met, store: notingStore(met.store, rank, note) };
  },
});

const notingStore = (store: Met['store'], rank: number, note: (call: DrawnCall) => void): Met['store'] => ({
  ...store,
  async set(key, value) {
    note({ rank, what: 'sets' });
    await store.set(key, value);
  },
  async wait(keys, timeoutMs) {
    note({ rank, what: 'waits' });
    await store.wait(keys, timeoutMs);
  },
});
