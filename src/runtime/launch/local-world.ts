/**
 * A world in this thread: one executor that hosts all lanes (virtual devices on one GPUDevice, or typed arrays), or one
 * executor a device with ports between them (a process that drives several GPUDevices; ranks under Node). Calls take
 * effect in the order in which they came. Used by sessions and inside rank workers.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import { oneAtATime } from '../../base/one-at-a-time';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import type { Executor, Feed, InstructionRecord, Loss, Stop } from '../executor';
import { deviceLost } from '../webgpu/device';
import { groupTimeout, neverCame, rankFailed } from './group-failure';
import { createTableFeed } from './table-feed';
import type { BufferRef, DatasetTable, Fault, StandsAt, StepFeed, World } from './world';

export interface HostedExecutor {
  readonly executor: Executor;
  readonly devices: readonly DeviceIndex[];
  /** Loses the device behind it (test hook). */
  lose(): void;
  /** For how long it has waited for a message from elsewhere; undefined: it does not wait. */
  waitedMs?(): number | undefined;
  /** Ends its part in the process group: who waits here for a message, or waits for one from here, hears of it. */
  hangUp?(reason: string | LockstepError): void;
  /** Closes what it was given beside the executor: ports, a device of its own. */
  close(): void;
}

export interface LocalWorldOptions {
  /** Absent: every device is a rank. */
  readonly rankOf?: (device: DeviceIndex) => Rank;
  /** How long ranks wait for one that hangs; absent: for ever. */
  readonly timeoutMs?: number;
  /**
   * This process is one rank, and this ends it, worker and all. Absent: the ranks that live here end, and this thread
   * goes on.
   */
  readonly end?: () => void;
}

const faultOf = ({ what, rank, microBatch, instruction }: Fault): Fault => ({ what, rank, microBatch, instruction });

export function createLocalWorld(
  hosted: readonly HostedExecutor[],
  table: DatasetTable,
  { rankOf = (device) => device, timeoutMs, end }: LocalWorldOptions = {},
): World {
  const { info } = must(hosted[0], 'an executor').executor;
  const feeds = hosted.map(() => createTableFeed(table));
  const executorOf = (device: DeviceIndex): Executor =>
    must(
      hosted.find((h) => h.devices.includes(device)),
      `an executor for cuda:${device}`,
    ).executor;
  const devicesOf = (rank: Rank): readonly DeviceIndex[] =>
    hosted.flatMap(({ devices }) => devices.filter((d) => rankOf(d) === rank));

  /** The step that is under way, or was the last. */
  let current: Pick<StepFeed, 'program' | 'microBatch'> | undefined;
  let hanging: (Fault & { readonly sinceMs: number }) | undefined;
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  let failure: LockstepError | undefined;
  let broken: LockstepError | undefined;
  let giveUp: (error: LockstepError) => void = () => {};
  const given = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  given.catch(() => {});
  let lose: (error: LockstepError) => void = () => {};
  const failed = new Promise<LockstepError>((resolve) => {
    lose = resolve;
  });

  const standsAt = (): readonly StandsAt[] => {
    const step = current;
    if (!step) return [];
    return hosted.flatMap(({ executor, waitedMs }) => {
      // Where all devices share one memory, the others have waited since one of them stopped.
      const waited = waitedMs ? waitedMs() : hanging && performance.now() - hanging.sinceMs;
      return executor.positions().map((position) => {
        const hangs = hanging !== undefined && hanging.rank === rankOf(position.device);
        return {
          ...position,
          program: step.program,
          microBatch: step.microBatch,
          ...(hanging && hangs ? { fault: faultOf(hanging) } : {}),
          ...(waited === undefined || hangs ? {} : { waitedMs: waited }),
        };
      });
    });
  };
  /** Nobody waits any longer, and nothing is done any more. */
  const abort = (error: LockstepError): void => {
    if (failure) return;
    failure = error;
    clearTimeout(watchdog);
    for (const { hangUp } of hosted) hangUp?.(error);
    giveUp(error);
  };
  const fail = (error: LockstepError): void => {
    if (failure) return;
    abort(error);
    lose(error);
  };
  /** A rank here ends: by hand, or as a fault wants it. Those who live elsewhere hear it from their ports. */
  const endRank = (rank: Rank, fault: Fault | undefined): void => {
    if (failure) return;
    if (end) {
      end();
      return;
    }
    fail(rankFailed(rank, devicesOf(rank), 'was killed', { positions: standsAt(), ...(fault ? { fault } : {}) }));
  };
  const hang = (fault: Fault): void => {
    hanging = { ...fault, sinceMs: performance.now() };
    if (timeoutMs === undefined || watchdog !== undefined) return;
    const { rank } = fault;
    const speak = () => fail(neverCame(rank, timeoutMs, { positions: standsAt(), fault }));
    // Where others wait over ports, they say first who waits for whom.
    watchdog = setTimeout(speak, hosted.some((h) => h.hangUp) ? timeoutMs + 1000 : timeoutMs);
  };
  const stopFor = (fault: Fault): Stop => ({
    rank: fault.rank,
    instruction: fault.instruction,
    reached() {
      if (fault.what === 'kill') endRank(fault.rank, fault);
      else hang(fault);
      return given;
    },
  });
  /** What waits ends with the world; a receive that timed out ends it. */
  const guarded = async <T>(task: () => Promise<T>): Promise<T> => {
    const before = failure ?? broken;
    if (before) throw before;
    try {
      return await Promise.race([task(), given]);
    } catch (error) {
      if (failure) throw failure;
      if (error instanceof LockstepError && error.code === 'timeout' && !end) {
        const [waiting, rank] = [error.details['device'], error.details['peer']].map((d) => rankOf(Number(d)));
        fail(
          groupTimeout(error, {
            ...(waiting === undefined || rank === undefined ? {} : { waiting, rank }),
            positions: standsAt(),
          }),
        );
        throw failure ?? error;
      }
      // Of a rank whose group fails elsewhere, in a moment: it stays where it stands.
      if (error instanceof LockstepError && (error.code === 'timeout' || error.code === 'rank-failed'))
        broken ??= error;
      throw error;
    }
  };

  const mergedLosses = async (): Promise<readonly (readonly Loss[])[]> => {
    const all = (await Promise.all(hosted.map((h) => h.executor.losses()))).filter((list) => list.length > 0);
    const steps = Math.max(0, ...all.map((list) => list.length));
    return Array.from({ length: steps }, (_, s) => all.flatMap((list) => list[s] ?? []));
  };
  /** What each executor does in this step: its feed, and the fault where it hosts that rank. */
  const partOf = (k: number, step: StepFeed): [Feed, Stop?] => {
    const { devices } = must(hosted[k], 'an executor');
    const feed = must(feeds[k], 'feed')(step);
    const { fault } = step;
    return fault && devices.some((d) => rankOf(d) === fault.rank) ? [feed, stopFor(fault)] : [feed];
  };
  const stepAll = (step: StepFeed): Promise<unknown> | undefined => {
    current = step;
    const only = hosted.length === 1 ? hosted[0] : undefined;
    // One executor that hosts every lane seldom waits: step() only enqueues.
    if (only) return only.executor.step(step.program, ...partOf(0, step)) ?? undefined;
    // async, so that one that throws at once leaves no other unheard.
    return Promise.all(hosted.map(async (h, k) => h.executor.step(step.program, ...partOf(k, step))));
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

  const lost = Promise.race([Promise.race(hosted.map((h) => h.executor.lost)).then(deviceLost), failed]);
  // Who waits for a device that is lost waits for nothing.
  void lost.then(abort);

  // A step may wait, for a message or for room to keep its loss: nothing that was asked for later may come between it
  // and those before.
  const queue = oneAtATime();
  const inOrder = <T>(task: () => Promise<T> | T): Promise<T> => queue(() => guarded(async () => task()));
  /** In order, too, but what follows waits only until `task` has returned, not for its answer. */
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
    lost,
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
        current = step;
        const traces = hosted.map(async (h, k) => h.executor.trace(step.program, ...partOf(k, step)));
        const records: readonly InstructionRecord[] = (await Promise.all(traces)).flat();
        return { records, losses: (await mergedLosses()).at(-1) ?? [] };
      }),
    corrupt: (corruption) =>
      inOrder(() => {
        for (const { executor } of hosted) executor.corrupt(corruption);
      }),
    kill: async (rank) => endRank(rank, undefined),
    positions: async () => standsAt(),
    abort: async (error) => abort(error),
    async lose() {
      for (const h of hosted) h.lose();
    },
    async dispose() {
      abort(new LockstepError('aborted', 'The process group was destroyed.'));
      for (const h of hosted) {
        h.executor.dispose();
        h.close();
      }
    },
  };
}
