/** The WebGPU executor against the CPU executor, on real strategies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHADERS } from '../../graph/shader-sources';
import { PROGRAM_OPS } from '../../parallel/strategies';
import type { Mode } from '../../protocol/config';
import { createCpuExecutor } from '../cpu/cpu-executor';
import type { Executor } from '../executor';
import type { OpenedDevice } from './device';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';
import { readParameters, type TestRun, testRun, writeParameters } from './testing/programs';
import { createWebgpuExecutor } from './webgpu-executor';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu();
  opened = await gpu.open();
});
afterAll(() => gpu.close());

const open = (run: TestRun): Promise<Executor> =>
  createWebgpuExecutor({ programs: run.programs, devices: run.devices, ops: PROGRAM_OPS, opened, shaders: SHADERS });

async function train(executor: Executor, run: TestRun, steps: number, traced: (step: number) => boolean = () => false) {
  writeParameters(executor, run);
  for (let step = 0; step < steps; step++) {
    const variant = step === 0 && run.programs.some((p) => p.variant === 'first') ? 'first' : 'full';
    if (traced(step)) await executor.trace(variant, run.feed(step));
    else await executor.step(variant, run.feed(step));
  }
  return { losses: await executor.losses(), parameters: await readParameters(executor, run) };
}

function expectClose(actual: Float32Array, expected: Float32Array, tolerance: number): void {
  const max = Math.max(1e-6, ...expected.map(Math.abs));
  actual.forEach((value, i) => {
    expect(Math.abs(value - (expected[i] ?? Number.NaN))).toBeLessThanOrEqual(tolerance * max);
  });
}

const MESHES: readonly [Mode, number][] = [
  ['single', 1],
  ['dataParallel', 3],
  ['ddp', 1],
  ['ddp', 2],
  ['ddp', 4],
  ['modelParallel', 2],
];

describe('the WebGPU executor', () => {
  it.each(MESHES)('trains %s on %i devices as the CPU executor does', async (mode, worldSize) => {
    const run = testRun({ mode, worldSize, batchSize: 12, ddp: { bucketCapMb: 0.0002 } });
    const cpu = createCpuExecutor({ programs: run.programs, devices: run.devices, ops: PROGRAM_OPS });
    const webgpu = await open(run);
    const expected = await train(cpu, run, 6);
    const actual = await train(webgpu, run, 6);
    expect(actual.losses.map((step) => step.map((l) => l.device))).toEqual(expected.losses.map((step) => step.map((l) => l.device)));
    actual.losses.forEach((step, i) => {
      for (const [k, { value }] of step.entries()) expect(value).toBeCloseTo(expected.losses[i]?.[k]?.value ?? Number.NaN, 5);
    });
    actual.parameters.forEach((values, i) => {
      expectClose(values, expected.parameters[i] ?? values.map(() => Number.NaN), 2e-5);
    });
    for (const device of run.devices) expect(webgpu.allocatedBytes(device)).toBe(cpu.allocatedBytes(device));
    webgpu.dispose();
    cpu.dispose();
  });
});
