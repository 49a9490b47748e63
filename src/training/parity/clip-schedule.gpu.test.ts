/** Clipping and schedules in whole runs on the WGSL kernels. */
import { afterAll, beforeAll } from 'vitest';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { clipScheduleSuite } from '../testing/clip-schedule-suite';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

clipScheduleSuite('webgpu', () => node.gpu);
