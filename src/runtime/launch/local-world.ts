/**
 * A world in this thread: one executor that hosts all lanes (virtual devices on one GPUDevice, or typed arrays), or one executor a device with
 * ports between them (a process that drives several GPUDevices; ranks under Node). Calls take effect in the order in which they came. Used by
 * sessions and inside rank workers.
 */
import { must } from '../../base/invariant';
import { oneAtATime } from '../../base/one-at-a-time';
import type { DeviceIndex } from '../../protocol/trace';
import type { Executor, Feed, InstructionRecord, Loss } from '../executor';
import { deviceLost } from '../webgpu/device';
import { createTableFeed } from './table-feed';
import type { BufferRef, DatasetTable, StepFeed, World } from './world';

export interface HostedExecutor {
  readonly executor: Executor;
  readonly devices: readonly DeviceIndex[];
  /** Loses the device behind it (test hook). */
  lose(): void;
  /** Closes what it was given beside the executor: ports, a device of its own. */
  close(): void;
}

export function createLocalWorld(hosted: readonly HostedExecutor[], table: DatasetTable): World {
  const { info } = must(hosted[0], 'an executor').executor;
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
  const stepAll = (step: StepFeed): Promise<unknown> | undefined => {
    const only = hosted.length === 1 ? hosted[0] : undefined;
    // One executor that hosts every lane seldom waits: step() only enqueues.
    if (only) return only.executor.step(step.variant, feedFor(0, step)) ?? undefined;
    // async, so that one that throws at once leaves no other unheard.
    return Promise.all(hosted.map(async (h, k) => h.executor.step(step.variant, feedFor(k, step))));
  };
  const readAll = async (refs: readonly BufferRef[]): Promise<Float32Array[]> => {
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
  };

  // A step may wait, for a message or for room to keep its loss: nothing that was asked for later may come between it and those before.
  const inOrder = oneAtATime();
  /** In order, too, but what follows waits only until `task` has returned, not for its answer. */
  const inOrderUntilAsked = async <T>(task: () => Promise<{ readonly answer: Promise<T> }>): Promise<T> => {
    const { answer } = await inOrder(task);
    return answer;
  };

  return {
    info,
    lost: Promise.race(hosted.map((h) => h.executor.lost)).then(deviceLost),
    allocatedBytes: async (device) => executorOf(device).allocatedBytes(device),
    write: (writes) =>
      inOrder(() => {
        for (const { device, buffer, data } of writes) executorOf(device).write(device, buffer, data);
      }),
    read: (refs) => inOrderUntilAsked(async () => ({ answer: readAll(refs) })),
    run: (steps) =>
      inOrderUntilAsked(async () => {
        for (const step of steps) {
          const done = stepAll(step);
          if (done !== undefined) await done;
        }
        return { answer: mergedLosses() };
      }),
    trace: (step) =>
      inOrder(async () => {
        const traces = hosted.map(async (h, k) => h.executor.trace(step.variant, feedFor(k, step)));
        const records: readonly InstructionRecord[] = (await Promise.all(traces)).flat();
        return { records, losses: (await mergedLosses()).at(-1) ?? [] };
      }),
    corrupt: (corruption) =>
      inOrder(() => {
        for (const { executor } of hosted) executor.corrupt(corruption);
      }),
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
