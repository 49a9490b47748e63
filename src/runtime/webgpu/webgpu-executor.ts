/**
 * The WebGPU implementation of Executor. Everything is planned and bound once: memory, dispatches, kernels, bind
 * groups; a step only replays commands. If it hosts all lanes, they run as one merged list; a single lane whose peers
 * are elsewhere runs its two queues against a Transport. Called by the session and by the rank workers. It does not own
 * the GPUDevice.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import { type KernelTuning, SOFTWARE_TUNING } from '../../graph/kernel-tuning';
import type { Program } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import { tensorOf, toStored } from '../../program/stored-tensor';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import { elements } from '../../tensor/shape';
import { disposedError } from '../disposed-error';
import type { Corruption, Executor, ExecutorOptions, Feed, InstructionRecord, Stop } from '../executor';
import { createCallGuard } from './call-guard';
import { type GpuContext, KernelSet } from './context';
import { deviceLost, type OpenedDevice } from './device';
import { GpuMemory } from './executor-memory';
import { LossRing } from './loss-ring';
import { type Location, MemoryLayout } from './memory-layout';
import { planLosses } from './plan-losses';
import { readBuffers } from './read-buffers';
import { planRemote } from './remote-plan';
import { RemoteRun } from './remote-run';
import { planShared, SharedRun } from './shared-run';
import { StagingPool } from './staging-pool';
import { tunedOps } from './tuning/choose-tuning';

export interface WebgpuExecutorOptions extends ExecutorOptions {
  readonly opened: OpenedDevice;
  /** WGSL by kernel id. */
  readonly shaders: Readonly<Record<string, string>>;
  /** The adapter's tuning; absent: the tuning of software adapters. */
  readonly tuning?: KernelTuning;
  /** Called with the number of kernels compiled so far. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** One way of running the hosted lanes. */
interface Run {
  step(key: ProgramKey, feed: Feed, stop?: Stop): Promise<void> | void;
  trace(key: ProgramKey, feed: Feed, stop?: Stop): Promise<readonly InstructionRecord[]>;
  positions(): readonly LanePosition[];
  /** `source`: the buffer (index) that holds the number to add. */
  corrupt(corruption: Corruption | undefined, source: number): void;
  /** Rejects a step that waits for a peer. */
  abort?(error: LockstepError): void;
}

export async function createWebgpuExecutor(options: WebgpuExecutorOptions): Promise<Executor> {
  const { opened } = options;
  const { context, run } = await prepare(options);
  const { layout, memory, staging, ring } = context;

  void opened.lost.then((reason) => run.abort?.(deviceLost(reason)));
  const { check, guarded, close } = createCallGuard(opened);
  let corruptionSource: number | undefined;

  return {
    info: opened.info,
    lost: opened.lost,
    allocatedBytes: (device) => layout.bytesOn(device),
    write(device, buffer, data) {
      check();
      const location = locationOf(context, device, buffer);
      const { shape } = data instanceof Int32Array ? location.spec : tensorOf(location.spec);
      const expected = elements(shape);
      if (data.length !== expected)
        throw new LockstepError('data', `Buffer ${buffer} has ${expected} elements, got ${data.length}.`);
      const words = toStored(location.spec, data);
      memory.write(location.buffer, location.offset, words);
      if (run instanceof SharedRun) run.wrote(device, buffer, words);
    },
    read: (refs, as) =>
      guarded(() =>
        readBuffers(
          refs.map(({ device, buffer }) => locationOf(context, device, buffer)),
          memory,
          staging,
          as,
        ),
      ),
    step(key, feed, stop) {
      check();
      const room = ring.room();
      if (run instanceof SharedRun && room === undefined) return run.step(key, feed, stop);
      return guarded(async () => {
        while (ring.room() !== undefined) await ring.room();
        await run.step(key, feed, stop);
      });
    },
    losses: () => guarded(() => ring.drain()),
    trace: (key, feed, stop) =>
      guarded(async () => {
        while (ring.room() !== undefined) await ring.room();
        return run.trace(key, feed, stop);
      }),
    positions: () => run.positions(),
    corrupt(corruption) {
      check();
      corruptionSource ??= layout.reserve('corruption', 4);
      if (corruption) memory.write(corruptionSource, 0, Float32Array.of(corruption.add));
      run.corrupt(corruption, corruptionSource);
    },
    dispose() {
      close(() => memory.dispose());
      run.abort?.(disposedError());
    },
  };
}

/** Does the work of opening: lays out and fills memory, plans dispatches, compiles kernels, makes bind groups. */
async function prepare(options: WebgpuExecutorOptions): Promise<{ readonly context: GpuContext; readonly run: Run }> {
  const { opened, devices, transport } = options;
  const ops = tunedOps(options.ops, options.tuning ?? SOFTWARE_TUNING);
  const programs = options.programs.map(
    (program): Program => ({ ...program, lanes: program.lanes.filter((lane) => devices.includes(lane.device)) }),
  );
  const remote = programs.some((program) =>
    program.lanes.some((lane) => lane.instructions.some((i) => 'peer' in i && !devices.includes(i.peer))),
  );
  if (remote && (devices.length !== 1 || !transport)) {
    throw new LockstepError(
      'program',
      'An executor hosts all lanes that talk to each other, or one lane with a transport to the others.',
    );
  }

  const layout = new MemoryLayout(options.programs, devices, opened.device.limits);
  const kernels = new KernelSet(opened, options.shaders);
  const losses = new Map(programs.map((program) => [programKey(program.kind), planLosses(program, devices, layout)]));
  const planned = remote
    ? planRemote({ programs, ops, layout })
    : planShared({ programs, ops, layout, fastCopies: opened.info.software });
  await kernels.compile(planned.dispatches, options.onProgress);

  const memory = new GpuMemory(opened.device, layout);
  memory.fill(programs, devices);
  const staging = new StagingPool(memory);
  const ring = new LossRing(memory, Math.max(0, ...[...losses.values()].map((plan) => plan.bytes)));
  const context: GpuContext = { opened, layout, memory, ops, programs, devices, kernels, staging, ring, losses };
  const run: Run =
    planned.kind === 'remote'
      ? new RemoteRun(context, planned, must(transport, 'transport'), options.slowdown)
      : new SharedRun(context, planned);
  return { context, run };
}

/** A persistent buffer has the same place in every Program that uses it. */
function locationOf({ programs, layout }: GpuContext, device: DeviceIndex, name: string): Location {
  const found = programs
    .map((program) => layout.find(programKey(program.kind), device, name))
    .find((location) => location !== undefined);
  return must(found, `buffer ${name} on cuda:${device}`);
}
