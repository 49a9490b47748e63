/** Two micro-batches in one Program, made by hand, on WebGPU: a loss for each, as the CPU executor has them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHADERS } from '../../graph/shader-sources';
import { PROGRAM_OPS } from '../../parallel/modes';
import { ALONE, programKey } from '../../protocol/step-kind';
import { feedOfTwo, LOSSES_OF_TWO, twoMicroBatches } from '../testing/two-micro-batches';
import type { OpenedDevice } from './device';
import { memoryTransport } from './testing/memory-transport';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';
import { createWebgpuExecutor } from './webgpu-executor';

const KEY = programKey(ALONE);
let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

const options = { programs: [twoMicroBatches()], ops: PROGRAM_OPS, shaders: SHADERS };

test('an executor of both devices has a loss for each micro-batch', async () => {
  const executor = await createWebgpuExecutor({ ...options, devices: [0, 1], opened });
  await executor.step(KEY, feedOfTwo);
  await executor.trace(KEY, feedOfTwo);
  expect(await executor.losses()).toEqual([LOSSES_OF_TWO, LOSSES_OF_TWO]);
  executor.dispose();
});

test('executors of one device each have the same', async () => {
  const transport = memoryTransport();
  const executors = await Promise.all(
    [0, 1].map((device) => createWebgpuExecutor({ ...options, devices: [device], opened, transport })),
  );
  await Promise.all(executors.map(async (executor) => executor.step(KEY, feedOfTwo)));
  expect((await Promise.all(executors.map((executor) => executor.losses()))).flat(2)).toEqual(LOSSES_OF_TWO);
  for (const executor of executors) executor.dispose();
});
