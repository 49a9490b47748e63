/**
 * Scripts of real PyTorch with what DDP needs beside the plain all-reduce, on WGSL kernels: zeros of shadows and of
 * unused parameters, gradients that are their buckets.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { farFromScript, scriptNamed } from '../testing/ddp-scripts';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

test.each([
  ['join bn all', 'shared'],
  ['join unused', 'workers'],
  ['unused static', 'shared'],
  ['views', 'shared'],
] as const)('%s, %s', async (name, placement) => {
  const { losses, state } = await farFromScript(scriptNamed(name), { device: 'webgpu', placement, gpu: node.gpu });
  expect(losses).toBeLessThan(2e-5);
  expect(state).toBeLessThan(2e-5);
});
