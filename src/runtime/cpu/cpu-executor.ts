/**
 * Runs Programs on typed arrays: the reference for tests, and the fallback for browsers without WebGPU. If it hosts all
 * lanes, cpu-shared-run.ts runs them; if it hosts one lane, cpu-remote-run.ts does. This file has the rest of the
 * Executor: memory, losses, and dispose().
 */
import { must } from '../../base/invariant';
import { Part } from '../../base/part';
import { CpuScratch } from '../../graph/cpu-scratch';
import { openVectors } from '../../graph/vectors/vector-op';
import type { Lane } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import { fromStored, toStored } from '../../program/stored-tensor';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import { disposedError } from '../disposed-error';
import type { Executor, ExecutorOptions, Feed, InstructionRecord, Loss } from '../executor';
import { message } from './combine';
import { type CpuContext, hostedLanes } from './cpu-context';
import { createCpuMemory } from './cpu-memory';
import { CpuSharedRun } from './cpu-shared-run';

/** Loaded for ranks that share no memory, before their executor is made. */
export const REMOTE = new Part('The runner of a single rank', () => import('./cpu-remote-run'));
if (!globalThis.LOCKSTEP_SITE) await REMOTE.load();

export function createCpuExecutor(options: ExecutorOptions): Executor {
  const { programs, devices, ops } = options;
  const plans = [...planMemory(programs, devices)];
  const regions = plans.flatMap(([, plan]) => plan.regions.map(({ bytes }) => bytes));
  const opened = openVectors(options.vectors, regions, options.team);
  const vectors = opened?.vectors;
  const memory = new Map(
    plans.map(([device, plan]) => [
      device,
      createCpuMemory(programs, plan, vectors && ((bytes) => vectors.allocate(bytes))),
    ]),
  );
  let disposed = false;
  const check = () => {
    if (disposed) throw disposedError();
  };
  const memoryOf = (device: DeviceIndex) => {
    check();
    return must(memory.get(device), `cuda:${device} on this executor`);
  };
  const context: CpuContext = {
    programs,
    devices,
    ops,
    scratch: new CpuScratch(vectors),
    opened,
    arrayOf: (key, device) => (buffer) => memoryOf(device).array(key, buffer),
    given: { feed: () => new Float32Array(0), corruption: undefined },
  };
  const { given } = context;
  const shared = new CpuSharedRun(context);
  const { transport, slowdown } = options;
  const remote = transport && new (REMOTE.get().CpuRemoteRun)(context, transport, slowdown);
  const alone = () => must(remote, 'a transport to the other ranks');
  const losses = createLossLog(context);
  const begin = (feed: Feed) => {
    check();
    given.feed = feed;
  };

  return {
    info: { kind: 'cpu', adapter: 'CPU (typed arrays)', software: true },
    lost: new Promise<string>(() => {}),
    allocatedBytes: (device) => memoryOf(device).bytes,
    write(device, buffer, data) {
      const own = memoryOf(device);
      const stored = toStored(own.specOf(buffer), data);
      own.persistent(buffer).set(stored);
      shared.wrote(device, buffer, stored);
    },
    read: async (refs, as) =>
      refs.map(({ device, buffer }) => {
        const own = memoryOf(device);
        const array = own.persistent(buffer);
        return as === 'bits' ? message(array) : fromStored(own.specOf(buffer), array);
      }),
    step(key, feed, stop) {
      begin(feed);
      if (!shared.has(key)) {
        const waiting = alone().step(key, { stop, records: undefined });
        if (waiting !== undefined) return waiting.then(() => losses.note(key));
        losses.note(key);
        return undefined;
      }
      if (stop) return shared.stepUntil(key, stop);
      shared.step(key);
      losses.note(key);
      return undefined;
    },
    async losses() {
      check();
      return losses.take();
    },
    async trace(key, feed, stop) {
      begin(feed);
      const isShared = shared.has(key);
      if (isShared && stop) return shared.stepUntil(key, stop);
      const records: InstructionRecord[] = [];
      if (isShared) records.push(...shared.trace(key));
      else await alone().step(key, { stop, records });
      losses.note(key);
      return records;
    },
    positions: () => [...shared.positions(), ...(remote?.positions() ?? [])],
    corrupt(next) {
      given.corruption = next;
    },
    dispose() {
      disposed = true;
      vectors?.close();
      memory.clear();
    },
  };
}

/** The losses of steps that have not been read yet. */
function createLossLog(context: CpuContext) {
  const places = new Map(
    context.programs.map((program) => {
      const key = programKey(program.kind);
      const ofLane = ({ device, losses }: Lane) =>
        losses.map(({ microBatch, buffer }) => ({ device, microBatch, array: context.arrayOf(key, device)(buffer) }));
      return [key, hostedLanes(context, program).flatMap(ofLane)];
    }),
  );
  let pending: Loss[][] = [];
  return {
    note(key: ProgramKey): void {
      // Adds an entry even without a loss, because entries of several executors are matched by position.
      pending.push(
        must(places.get(key), 'losses').map(({ device, microBatch, array }) => ({
          device,
          microBatch,
          value: array[0] ?? Number.NaN,
        })),
      );
    },
    take(): readonly (readonly Loss[])[] {
      const taken = pending;
      pending = [];
      return taken;
    },
  };
}
