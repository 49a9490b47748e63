/**
 * One rank: a process of the mesh. It owns its devices and its part of the mesh of ports, and does not know in which
 * thread it runs; rank-worker.ts puts it into a worker that is controlled through comlink. Ranks send tensors to each
 * other directly, never through the session or the page.
 */
import { fromWire, toWire, type WireError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { Rank } from '../../protocol/trace';
import { browserGpu } from '../webgpu/browser-gpu';
import { holdLock } from './hold-lock';
import { createLocalWorld } from './local-world';
import { openExecutors, type ProcessPlan } from './open-executors';
import type { DatasetTable, World } from './world';

export interface RankApi extends Omit<World, 'devices' | 'info' | 'lost' | 'kill' | 'abort'> {
  /** `lifeline`: a port that carries no messages and closes when this rank ends. */
  open(plan: RankPlan, table: DatasetTable, lifeline: MessagePort): Promise<World['devices']>;
  /** Answers even while other calls are running. */
  ping(): Promise<void>;
  /** Ends all waiting, because the process group has failed elsewhere. */
  abort(error: WireError): Promise<void>;
  /** Resolves when this rank's device is lost. */
  untilLost(): Promise<WireError>;
}

export interface RankPlan extends ProcessPlan {
  readonly rank: Rank;
  /** Locked while this rank lives. */
  readonly lifeLock: string;
}

/** `end` ends the worker around it. `mayBlock`: its thread does nothing else, so it may sleep if it has one device. */
export function createRank(end: () => void, { mayBlock }: { readonly mayBlock: boolean }): RankApi {
  let world: World | undefined;
  /** Kept, so that it is not collected. */
  let lifeline: MessagePort | undefined;
  const open = (): World => must(world, 'an open rank');
  /** Errors keep class and fields across the wall as wire errors. */
  const typed = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task();
    } catch (error) {
      throw toWire(error);
    }
  };
  return {
    open: (plan, table, line) =>
      typed(async () => {
        lifeline = line;
        await holdLock(plan.lifeLock);
        const hosted = await openExecutors(plan, { gpu: browserGpu(), mayBlock });
        const { rank, group } = plan;
        world = createLocalWorld(hosted, table, {
          rankOf: () => rank,
          ...(group ? { timeoutMs: group.timeoutMs } : {}),
          end,
        });
        return world.devices;
      }),
    ping: async () => {},
    untilLost: () => typed(async () => toWire(await open().lost)),
    allocatedBytes: (device) => typed(() => open().allocatedBytes(device)),
    write: (writes) => typed(() => open().write(writes)),
    read: (refs) => typed(() => open().read(refs)),
    run: (feeds) => typed(() => open().run(feeds)),
    trace: (feed) => typed(() => open().trace(feed)),
    corrupt: (corruption) => typed(() => open().corrupt(corruption)),
    positions: () => typed(async () => (await world?.positions()) ?? []),
    abort: (error) => typed(async () => world?.abort(fromWire(error))),
    lose: () => typed(() => open().lose()),
    dispose: () =>
      typed(async () => {
        lifeline?.close();
        await open().dispose();
      }),
  };
}
