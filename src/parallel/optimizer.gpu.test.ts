/** Optimiser steps and clipping as Programs, on the WGSL kernels. */
import { afterAll, beforeAll } from 'vitest';
import { SHADERS } from '../graph/shader-sources';
import type { OpenedDevice } from '../runtime/webgpu/device';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { createWebgpuExecutor } from '../runtime/webgpu/webgpu-executor';
import { PROGRAM_OPS } from './modes';
import { optimizerSuite } from './testing/optimizer-suite';

let gpu: NodeGpu;
let opened: OpenedDevice;
beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});
afterAll(() => gpu.close());

optimizerSuite((program) =>
  createWebgpuExecutor({
    programs: [program],
    devices: program.lanes.map((lane) => lane.device),
    ops: PROGRAM_OPS,
    opened,
    shaders: SHADERS,
  }),
);
