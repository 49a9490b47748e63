/**
 * One rank: a process of the mesh. It owns its devices and its part of the mesh of ports and does not know where it runs; rank-worker.ts puts it into a
 * worker, where control comes through comlink. Tensors go from rank to rank, never through the session or the page.
 */
import { toWire, type WireError } from '../../base/errors';
import { must } from '../../base/invariant';
import { browserGpu } from '../webgpu/browser-gpu';
import { createLocalWorld } from './local-world';
import { openExecutors, type ProcessPlan } from './open-executors';
import type { DatasetTable, World } from './world';

export interface RankApi extends Omit<World, 'info' | 'lost'> {
  open(plan: ProcessPlan, table: DatasetTable): Promise<World['info']>;
  /** Answers whatever else is going on. */
  ping(): Promise<void>;
  /** Resolves when this rank's device is lost. */
  untilLost(): Promise<WireError>;
}

export function createRank(): RankApi {
  let world: World | undefined;
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
    open: (plan, table) =>
      typed(async () => {
        world = createLocalWorld(await openExecutors(plan, { gpu: browserGpu() }), table);
        return world.info;
      }),
    ping: async () => {},
    untilLost: () => typed(async () => toWire(await open().lost)),
    allocatedBytes: (device) => typed(() => open().allocatedBytes(device)),
    write: (writes) => typed(() => open().write(writes)),
    read: (refs) => typed(() => open().read(refs)),
    run: (feeds) => typed(() => open().run(feeds)),
    trace: (feed) => typed(() => open().trace(feed)),
    corrupt: (corruption) => typed(() => open().corrupt(corruption)),
    lose: () => typed(() => open().lose()),
    dispose: () => typed(() => open().dispose()),
  };
}
