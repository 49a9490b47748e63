/** SyncBatchNorm's statistics on WebGPU: ranks on one GPUDevice, and joined by messages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHADERS } from '../graph/shader-sources';
import type { OpenedDevice } from '../runtime/webgpu/device';
import { memoryTransport } from '../runtime/webgpu/testing/memory-transport';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { createWebgpuExecutor } from '../runtime/webgpu/webgpu-executor';
import { PROGRAM_OPS } from './modes';
import { SYNC_CASES, syncFailures, syncProgram } from './testing/sync-batch-norm-run';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

test.each(SYNC_CASES)('ranks with $sizes rows', async (stored) => {
  const devices = stored.sizes.map((_, device) => device);
  const common = { programs: [syncProgram(stored)], ops: PROGRAM_OPS, opened, shaders: SHADERS };
  const shared = await createWebgpuExecutor({ ...common, devices });
  expect(await syncFailures(stored, [shared])).toEqual([]);
  shared.dispose();
  const transport = memoryTransport();
  const apart = await Promise.all(
    devices.map((device) => createWebgpuExecutor({ ...common, devices: [device], transport })),
  );
  expect(await syncFailures(stored, apart)).toEqual([]);
  for (const executor of apart) executor.dispose();
});
