/**
 * Every kernel can be rewritten to count, and the result is valid WGSL; also the workgroup memory that a kernel
 * declares.
 */
import { expect, test } from 'vitest';
import { ALL_SHADERS } from '../../graph/testing/all-shaders';
import { nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { countingSource, workgroupBytes } from './counting-source';

test('every kernel that counts compiles', async () => {
  const node = nodeGpu({ backend: 'null' });
  const { device } = await node.open();
  const complaints: string[] = [];
  for (const [kernel, source] of Object.entries(ALL_SHADERS)) {
    const module = device.createShaderModule({ code: countingSource(source) });
    const { messages } = await module.getCompilationInfo();
    for (const { type, message } of messages) if (type === 'error') complaints.push(`${kernel}: ${message}`);
  }
  await node.close();
  expect(complaints).toEqual([]);
  expect(Object.keys(ALL_SHADERS).length).toBeGreaterThan(100);
});

test('workgroup memory is the sum of what a kernel declares', () => {
  expect(workgroupBytes(ALL_SHADERS['workgroup/sum'])).toBe(4 * 256);
  expect(workgroupBytes(ALL_SHADERS['pointwise/unary'])).toBe(0);
  expect(() => workgroupBytes('var<workgroup> a: array<f32, N>;')).toThrow('unknown size');
});

test('code that the rewriting does not support is refused', () => {
  const kernel = (line: string) => `
@group(0) @binding(0) var<storage, read_write> x: array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { ${line} }`;
  expect(() => countingSource(kernel('x[id.x] = vec4f(x[id.x].xy, 0.0, 0.0);'))).toThrow('several components');
  expect(() => countingSource(kernel('var x = array<f32, 4>(); x[0] = 1.0;'))).toThrow('a tensor and a variable');
});
