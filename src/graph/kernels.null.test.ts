/**
 * Every kernel compiles, and its pipeline builds with the explicit layout of its table row, on Dawn's null backend: no
 * GPU needed.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { create, globals } from 'webgpu';
import { must } from '../base/invariant';
import { KERNELS, type KernelId } from './kernel-table';
import { ALL_SHADERS } from './testing/all-shaders';
import { kernelLayout } from './testing/kernel-layout';

let gpu: GPU | undefined;
let device: GPUDevice | undefined;

beforeAll(async () => {
  Object.assign(globalThis, globals);
  gpu = create(['backend=null']);
  device = await must(await gpu.requestAdapter(), 'null adapter').requestDevice();
});

afterAll(() => {
  device?.destroy();
  device = undefined;
  gpu = undefined;
});

it.each(Object.keys(KERNELS) as KernelId[])('%s builds', async (id) => {
  const dev = must(device, 'device');
  dev.pushErrorScope('validation');
  const module = dev.createShaderModule({ label: id, code: ALL_SHADERS[id] });
  const messages = (await module.getCompilationInfo()).messages.map((m) => `${m.lineNum}: ${m.message}`);
  expect(messages).toEqual([]);
  dev.createComputePipeline({
    label: id,
    layout: kernelLayout(dev, id).pipeline,
    compute: { module, entryPoint: 'main' },
  });
  expect((await dev.popErrorScope())?.message).toBeUndefined();
});
