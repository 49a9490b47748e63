/**
 * DDP by the algorithms that other tests on WebGPU do not run: as on the CPU within rounding, replicas the same to the
 * bit, shared and by messages alike.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { createCpuExecutor } from '../../runtime/cpu/cpu-executor';
import type { Executor } from '../../runtime/executor';
import type { OpenedDevice } from '../../runtime/webgpu/device';
import { memoryTransport } from '../../runtime/webgpu/testing/memory-transport';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { readParameters, type TestRun, testRun, writeParameters } from '../../runtime/webgpu/testing/programs';
import { createWebgpuExecutor } from '../../runtime/webgpu/webgpu-executor';
import { PROGRAM_OPS } from '../modes';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

const STEPS = 2;

/** Executors are one for all devices, or one per device. */
async function train(run: TestRun, executors: readonly Executor[]): Promise<readonly Float32Array[]> {
  const own = (k: number) => (executors.length === 1 ? run.devices : [at(run.devices, k)]);
  executors.forEach((executor, k) => {
    writeParameters(executor, run, own(k));
  });
  for (let step = 0; step < STEPS; step++)
    await Promise.all(executors.map((executor) => executor.step(run.programAt(step), run.feed(step))));
  const read = await Promise.all(executors.map((executor, k) => readParameters(executor, run, own(k))));
  for (const executor of executors) executor.dispose();
  return read.flat();
}

test.each(['tree', 'doubleTree', 'halvingDoubling', 'hierarchical'] as const)('%s', async (algorithm) => {
  const run = testRun({
    mode: 'ddp',
    worldSize: 5,
    nodes: 2,
    batchSize: 10,
    optimizer: { type: 'SGD' },
    ddp: { algorithm, bucketCapMb: 0.0002 },
  });
  const { programs, devices } = run;
  const common = { programs, ops: PROGRAM_OPS, opened, shaders: SHADERS };
  const expected = await train(run, [createCpuExecutor({ programs, devices, ops: PROGRAM_OPS })]);
  const shared = await train(run, [await createWebgpuExecutor({ ...common, devices })]);
  const each = shared.length / devices.length;
  shared.forEach((values, i) => {
    expect(values).toEqual(at(shared, i % each));
    values.forEach((value, k) => {
      expect(Math.abs(value - at(at(expected, i), k))).toBeLessThan(1e-5);
    });
  });
  const transport = memoryTransport();
  const remote = await Promise.all(
    devices.map((device) => createWebgpuExecutor({ ...common, devices: [device], transport })),
  );
  expect(await train(run, remote)).toEqual(shared);
});
