/** The WebGPU executor against the CPU executor and against itself, on real modes and a software GPU. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Instruction } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import { programOf } from '../../program/program-of';
import { createCpuExecutor } from '../cpu/cpu-executor';
import type { Executor, InstructionRecord } from '../executor';
import type { OpenedDevice } from './device';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';
import { type TestRun, testRun, writeParameters } from './testing/programs';
import { MODES_AND_SIZES, SMALL_BUCKETS, trainOn } from './testing/train-on';
import { createWebgpuExecutor } from './webgpu-executor';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

const open = (run: TestRun, device: OpenedDevice = opened): Promise<Executor> =>
  createWebgpuExecutor({
    programs: run.programs,
    devices: run.devices,
    ops: PROGRAM_OPS,
    opened: device,
    shaders: SHADERS,
  });

function expectClose(actual: Float32Array, expected: Float32Array, tolerance: number): void {
  const max = Math.max(1e-6, ...expected.map(Math.abs));
  actual.forEach((value, i) => {
    expect(Math.abs(value - (expected[i] ?? Number.NaN))).toBeLessThanOrEqual(tolerance * max);
  });
}

describe.each(MODES_AND_SIZES)('%s on %i devices', (mode, worldSize) => {
  const run = testRun({
    mode,
    worldSize,
    batchSize: 12,
    optimizer: { type: 'SGD', momentum: 0.9 },
    ddp: SMALL_BUCKETS,
  });

  it('trains as the CPU executor does', async () => {
    const cpu = createCpuExecutor({ programs: run.programs, devices: run.devices, ops: PROGRAM_OPS });
    const webgpu = await open(run);
    const expected = await trainOn(cpu, run, 6);
    const actual = await trainOn(webgpu, run, 6);
    expect(actual.losses.map((step) => step.map((l) => l.device))).toEqual(
      expected.losses.map((step) => step.map((l) => l.device)),
    );
    actual.losses.forEach((step, i) => {
      for (const [k, { value }] of step.entries())
        expect(value).toBeCloseTo(expected.losses[i]?.[k]?.value ?? Number.NaN, 5);
    });
    actual.parameters.forEach((values, i) => {
      expectClose(values, at(expected.parameters, i), 2e-5);
    });
    for (const device of run.devices) expect(webgpu.allocatedBytes(device)).toBe(cpu.allocatedBytes(device));
    webgpu.dispose();
    cpu.dispose();
  });

  it('traces with the bits of step(), every instruction once and in an order that both queues allow', async () => {
    const stepped = await open(run);
    const traced = await open(run);
    const expected = await trainOn(stepped, run, 5);
    expect(await trainOn(traced, run, 5, (step) => step !== 2)).toEqual(expected);
    expectOrdered(run, await traced.trace(run.full, run.feed(9)));
    stepped.dispose();
    traced.dispose();
  });

  it('allocates what the planner planned, byte for byte, and nothing after the second step', async () => {
    const device = await gpu.open();
    const planned = [...planMemory(run.programs).values()].reduce((sum, { bytes }) => sum + bytes, 0);
    const tensors = countBytes(device, /^(pool|buffer|slot):/);
    const executor = await open(run, device);
    expect(tensors()).toBe(planned);
    await trainOn(executor, run, 2);
    let made = 0;
    const createBuffer = device.device.createBuffer.bind(device.device);
    device.device.createBuffer = (descriptor) => {
      made++;
      return createBuffer(descriptor);
    };
    await trainOn(executor, run, 5);
    expect(made).toBe(0);
    executor.dispose();
  });
});

/** Bytes of the GPUBuffers made from now on whose label matches. */
function countBytes({ device }: OpenedDevice, label: RegExp): () => number {
  let bytes = 0;
  const createBuffer = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    if (label.test(descriptor.label ?? '')) bytes += descriptor.size;
    return createBuffer(descriptor);
  };
  return () => bytes;
}

/** Each queue's records in list order, no wait before its signal, captures where something is written. */
function expectOrdered(run: TestRun, records: readonly InstructionRecord[]): void {
  const program = programOf(run.programs, run.full);
  const byId = new Map<number, Instruction>(program.lanes.flatMap((lane) => lane.instructions.map((i) => [i.id, i])));
  expect(records.map((r) => r.id).sort((a, b) => a - b)).toEqual([...byId.keys()].sort((a, b) => a - b));
  for (const { device, instructions } of program.lanes) {
    for (const queue of ['compute', 'comm']) {
      const ran = records.filter((r) => r.device === device && byId.get(r.id)?.queue === queue).map((r) => r.id);
      expect(ran).toEqual(instructions.filter((i) => i.queue === queue).map((i) => i.id));
    }
  }
  const signalled = new Set<string>();
  for (const { id, device, durUs, captured } of records) {
    const instruction = must(byId.get(id), 'instruction');
    if (instruction.kind === 'wait') expect(signalled.has(`${device} ${instruction.event}`)).toBe(true);
    if (instruction.signals !== undefined) signalled.add(`${device} ${instruction.signals}`);
    expect(durUs).toBeGreaterThanOrEqual(0);
    expect(captured.length > 0).toBe(instruction.kind !== 'wait' && instruction.kind !== 'send');
  }
}

describe('the WebGPU executor', () => {
  it('keeps the losses of a thousand steps in order, NaN included', async () => {
    const run = testRun({ mode: 'ddp', worldSize: 2, batchSize: 4, optimizer: { type: 'SGD' } });
    const executor = await open(run);
    writeParameters(executor, run);
    const seen: number[] = [];
    for (let step = 0; step < 1000; step++) {
      if (step === 501) writeParameters(executor, run); // 0 * NaN has reached them
      await executor.step(run.full, (load, device) => {
        const data = run.feed(7)(load, device);
        // No learning: the loss depends on the target alone, which says which step it was.
        if (load.source === 'scalars') return data.map(() => 0);
        return data.map(() => (load.source === 'inputs' ? 0 : step === 500 ? Number.NaN : step));
      });
      if (step % 300 === 7) seen.push(...(await executor.losses()).map((losses) => at(losses, 1).value));
    }
    seen.push(...(await executor.losses()).map((losses) => at(losses, 1).value));
    expect(seen.length).toBe(1000);
    seen.forEach((value, step) => {
      if (step === 500) expect(value).toBeNaN();
      else if (step > 2) expect(Math.abs(Math.sqrt(value) - step)).toBeLessThan(1.5);
    });
    executor.dispose();
  });

  it('adds a corruption to the first element of the transfer, in step() and in trace()', async () => {
    const run = testRun({ mode: 'ddp', worldSize: 3, batchSize: 6, ddp: SMALL_BUCKETS });
    const lanes = must(run.programs[0], 'program').lanes;
    const tags = lanes.flatMap((lane) => lane.instructions.flatMap((i) => (i.kind === 'recv' ? [i.tag] : [])));
    const cpu = createCpuExecutor({ programs: run.programs, devices: run.devices, ops: PROGRAM_OPS });
    const webgpu = await open(run);
    for (const tag of [at(tags, 0), at(tags, tags.length - 1)]) {
      const clean = await trainOn(webgpu, run, 2);
      cpu.corrupt({ tag, add: 0.5 });
      webgpu.corrupt({ tag, add: 0.5 });
      const expected = await trainOn(cpu, run, 2);
      const stepped = await trainOn(webgpu, run, 2);
      expect(stepped.parameters).not.toEqual(clean.parameters);
      stepped.parameters.forEach((values, i) => {
        expectClose(values, at(expected.parameters, i), 2e-5);
      });
      expect(await trainOn(webgpu, run, 2, () => true)).toEqual(stepped);
      cpu.corrupt(undefined);
      webgpu.corrupt(undefined);
      expect(await trainOn(webgpu, run, 2)).toEqual(clean);
    }
    webgpu.dispose();
  });

  it('says why the device was lost, and rejects later calls', async () => {
    const device = await gpu.open();
    const run = testRun({ mode: 'single', batchSize: 4 });
    const executor = await open(run, device);
    await executor.step(run.full, run.feed(0));
    const losses = executor.losses();
    device.device.destroy();
    expect(await executor.lost).toMatch(/destroyed/);
    await losses.catch((error: unknown) => expect(error).toMatchObject({ code: 'device-lost' }));
    await expect(executor.losses()).rejects.toMatchObject({ code: 'device-lost' });
    await expect(executor.trace(run.full, run.feed(0))).rejects.toMatchObject({ code: 'device-lost' });
    expect(() => executor.step(run.full, run.feed(0))).toThrow(/lost/);
  });
});
