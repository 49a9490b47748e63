/**
 * Everything that gloo computed (fixtures/collectives.json), by every algorithm that knows it, on WebGPU: ranks on one
 * GPUDevice, and joined by messages.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHADERS } from '../graph/shader-sources';
import type { OpenedDevice } from '../runtime/webgpu/device';
import { memoryTransport } from '../runtime/webgpu/testing/memory-transport';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { createWebgpuExecutor } from '../runtime/webgpu/webgpu-executor';
import { COMM_OPS } from './bucket-ops';
import { CASES, parityFailures, parityVariants } from './testing/collective-parity';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

test.each(CASES)("gloo's results, $world_size ranks", async (stored) => {
  const variants = parityVariants(stored);
  const programs = variants.map(({ program }) => program);
  const devices = stored.inputs.map((_, device) => device);
  const common = { programs, ops: COMM_OPS, opened, shaders: SHADERS };
  const shared = await createWebgpuExecutor({ ...common, devices });
  expect(await parityFailures(variants, [shared])).toEqual([]);
  shared.dispose();

  const transport = memoryTransport();
  const executors = await Promise.all(
    devices.map((device) => createWebgpuExecutor({ ...common, devices: [device], transport })),
  );
  expect(await parityFailures(variants, executors)).toEqual([]);
  for (const executor of executors) executor.dispose();
});
