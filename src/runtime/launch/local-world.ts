/**
 * A world in this thread: one executor that hosts all lanes (virtual devices on one GPUDevice, or typed arrays), or one executor a device with
 * ports between them (a process that drives several GPUDevices; ranks under Node). Used by sessions and inside rank workers.
 */
import { must } from '../../base/invariant';
import type { DeviceIndex } from '../../protocol/trace';
import type { Executor, Feed, InstructionRecord, Loss } from '../executor';
import { createTableFeed } from './table-feed';
import type { DatasetTable, StepFeed, World } from './world';

export interface HostedExecutor {
  readonly executor: Executor;
  readonly devices: readonly DeviceIndex[];
  /** Loses the device behind it (test hook). */
  lose(): void;
  /** Closes what it was given beside the executor: ports, a device of its own. */
  close(): void;
}

export function createLocalWorld(hosted: readonly HostedExecutor[], table: DatasetTable): World {
  const first = must(hosted[0], 'an executor').executor;
  const feeds = hosted.map(() => createTableFeed(table));
  const executorOf = (device: DeviceIndex): Executor =>
    must(
      hosted.find((h) => h.devices.includes(device)),
      `an executor for cuda:${device}`,
    ).executor;
  const feedFor = (k: number, step: StepFeed): Feed => must(feeds[k], 'feed')(step);

  const mergedLosses = async (): Promise<readonly (readonly Loss[])[]> => {
    const all = (await Promise.all(hosted.map((h) => h.executor.losses()))).filter((list) => list.length > 0);
    const steps = Math.max(0, ...all.map((list) => list.length));
    return Array.from({ length: steps }, (_, s) => all.flatMap((list) => list[s] ?? []));
  };

  const enqueue = async (steps: readonly StepFeed[]): Promise<readonly (readonly Loss[])[]> => {
    const only = hosted.length === 1 ? hosted[0] : undefined;
    for (const step of steps) {
      // One executor that hosts every lane never waits here: step() only enqueues.
      const done = only
        ? only.executor.step(step.variant, feedFor(0, step))
        : Promise.all(hosted.map((h, k) => h.executor.step(step.variant, feedFor(k, step))));
      if (done) await done;
    }
    return mergedLosses();
  };
  // Steps that wait for messages must not interleave with the next call's; those that only enqueue may follow at once.
  let last: Promise<unknown> = Promise.resolve();
  const waits = hosted.length > 1 || first.hasRemotePeers;
  const inOrder = <T>(task: () => Promise<T>): Promise<T> => {
    if (!waits) return task();
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };

  return {
    info: first.info,
    lost: Promise.race(hosted.map((h) => h.executor.lost)),
    allocatedBytes: async (device) => executorOf(device).allocatedBytes(device),
    async write(writes) {
      for (const { device, buffer, data } of writes) executorOf(device).write(device, buffer, data);
    },
    async read(refs) {
      const parts = await Promise.all(
        hosted.map(async ({ executor, devices }) => {
          const own = refs.map((ref, i) => ({ ref, i })).filter(({ ref }) => devices.includes(ref.device));
          const values = own.length > 0 ? await executor.read(own.map(({ ref }) => ref)) : [];
          return own.map(({ i }, k) => ({ i, values: must(values[k], 'values') }));
        }),
      );
      const result: Float32Array[] = [];
      for (const { i, values } of parts.flat()) result[i] = values;
      return result;
    },
    run: (steps) => inOrder(() => enqueue(steps)),
    trace: (step) =>
      inOrder(async () => {
        const records: InstructionRecord[] = (
          await Promise.all(hosted.map((h, k) => h.executor.trace(step.variant, feedFor(k, step))))
        ).flat();
        return { records, losses: (await mergedLosses()).at(-1) ?? [] };
      }),
    async corrupt(corruption) {
      for (const { executor } of hosted) executor.corrupt(corruption);
    },
    async lose() {
      for (const h of hosted) h.lose();
    },
    async dispose() {
      for (const h of hosted) {
        h.executor.dispose();
        h.close();
      }
    },
  };
}
