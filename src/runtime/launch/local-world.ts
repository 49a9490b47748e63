/**
 * A world in this thread: one executor that hosts all lanes (virtual devices on one GPUDevice, or typed arrays), or one
 * executor per device with links between them (a process that drives several GPUDevices; ranks under Node). Calls take
 * effect in order. local-group.ts handles stopping and failing ranks. Used by sessions and inside rank workers.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import { oneAtATime } from '../../base/one-at-a-time';
import type { DeviceIndex } from '../../protocol/trace';
import type { Executor, Feed, InstructionRecord, Loss, Stop } from '../executor';
import type { HostedExecutor } from './hosted-executor';
import { LocalGroup, type LocalGroupOptions } from './local-group';
import { createTableFeed } from './table-feed';
import type { BufferRef, DatasetTable, StepFeed, World } from './world';

export function createLocalWorld(
  hosted: readonly HostedExecutor[],
  table: DatasetTable,
  options: LocalGroupOptions = {},
): World {
  const { info } = must(hosted[0], 'an executor').executor;
  const group = new LocalGroup(hosted, options);
  const run = createLocalRun(hosted, group, table);
  const executorOf = (device: DeviceIndex): Executor =>
    must(
      hosted.find((h) => h.devices.includes(device)),
      `an executor for cuda:${device}`,
    ).executor;

  // A step may wait for a message, or for room for its loss; no later call may overtake it.
  const queue = oneAtATime();
  const inOrder = <T>(task: () => Promise<T> | T): Promise<T> => queue(() => group.guarded(async () => task()));
  /** Also in order, but later calls wait only until `task` has returned, not for its answer. */
  const inOrderUntilAsked = async <T>(task: () => Promise<{ readonly answer: Promise<T> }>): Promise<T> => {
    const { answer } = await inOrder(task);
    return answer;
  };

  return {
    info,
    devices: hosted
      .flatMap((h) => h.devices.map((device) => ({ device, info: h.executor.info })))
      .toSorted((a, b) => a.device - b.device)
      .map((one) => one.info),
    lost: group.lost,
    allocatedBytes: async (device) => executorOf(device).allocatedBytes(device),
    write: (writes) =>
      inOrder(() => {
        for (const { device, buffer, data } of writes) executorOf(device).write(device, buffer, data);
      }),
    read: (refs) => inOrderUntilAsked(async () => ({ answer: readAll(hosted, refs) })),
    run: (steps) =>
      inOrderUntilAsked(async () => {
        for (const step of steps) {
          const done = run.step(step);
          if (done !== undefined) await done;
        }
        return { answer: mergedLosses(hosted) };
      }),
    trace: (step) =>
      inOrder(async () => {
        const records = await run.trace(step);
        return { records, losses: (await mergedLosses(hosted)).at(-1) ?? [] };
      }),
    corrupt: (corruption) =>
      inOrder(() => {
        for (const { executor } of hosted) executor.corrupt(corruption);
      }),
    kill: async (rank) => group.endRank(rank, undefined),
    positions: async () => group.positions(),
    abort: async (error) => group.abort(error),
    async lose() {
      for (const h of hosted) h.lose();
    },
    async dispose() {
      group.abort(new LockstepError('aborted', 'The process group was destroyed.'));
      for (const h of hosted) {
        h.executor.dispose();
        h.close();
      }
    },
  };
}

/** Steps on all executors at once. */
function createLocalRun(hosted: readonly HostedExecutor[], group: LocalGroup, table: DatasetTable) {
  const feeds = hosted.map(() => createTableFeed(table));
  /** The executor's arguments of this step: its feed, and the fault if it hosts the fault's rank. */
  const partOf = (k: number, step: StepFeed): [Feed, Stop?] => {
    const { devices } = must(hosted[k], 'an executor');
    const feed = must(feeds[k], 'feed')(step);
    const stop = step.fault && group.stopOn(devices, step.fault);
    return stop ? [feed, stop] : [feed];
  };
  return {
    step(step: StepFeed): Promise<unknown> | undefined {
      group.current = step;
      const only = hosted.length === 1 ? hosted[0] : undefined;
      // One executor that hosts every lane rarely waits: step() only enqueues.
      if (only) return only.executor.step(step.program, ...partOf(0, step)) ?? undefined;
      // async, so that an executor that throws at once does not prevent the others from being awaited.
      return Promise.all(hosted.map(async (h, k) => h.executor.step(step.program, ...partOf(k, step))));
    },
    async trace(step: StepFeed): Promise<readonly InstructionRecord[]> {
      group.current = step;
      const traces = hosted.map(async (h, k) => h.executor.trace(step.program, ...partOf(k, step)));
      return (await Promise.all(traces)).flat();
    },
  };
}

async function mergedLosses(hosted: readonly HostedExecutor[]): Promise<readonly (readonly Loss[])[]> {
  const all = (await Promise.all(hosted.map((h) => h.executor.losses()))).filter((list) => list.length > 0);
  const steps = Math.max(0, ...all.map((list) => list.length));
  return Array.from({ length: steps }, (_, s) => all.flatMap((list) => list[s] ?? []));
}

/** Reads in the order of `refs`, each buffer from the executor that hosts its device. */
async function readAll(hosted: readonly HostedExecutor[], refs: readonly BufferRef[]): Promise<Float32Array[]> {
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
}
