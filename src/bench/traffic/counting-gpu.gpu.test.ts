/**
 * Compares the counting GPU with a plain loop that counts the accesses of a kernel: vectors and their components, an
 * index that is itself read from a tensor, an assignment that also reads, words under two bindings, an early return,
 * barriers.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { globals } from 'webgpu';
import { must } from '../../base/invariant';
import { nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { countingGpu } from './counting-gpu';

const SOURCE = `
@group(0) @binding(0) var<storage, read> order: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read> x_1: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
override EXTRA: u32 = 0u;
var<workgroup> shared_sums: array<vec2f, 64>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  shared_sums[lane] = vec2f(x[order[id.x]].y, 0.0); // 4 + 4 bytes
  workgroupBarrier();
  if (lane % 2u == 1u) { return; }
  let whole = x[order[id.x]]; // 4 + 16
  y[id.x] = whole.x + shared_sums[lane + 1u].x; // writes 4
  y[id.x] += x_1[4u * order[id.x] + EXTRA]; // reads 4 of y, 4 + 4 more, writes 4
}`;
const INVOCATIONS = 256;

const node = nodeGpu();
beforeAll(() => {
  Object.assign(globalThis, globals);
});
afterAll(() => node.close());

async function count(order: Uint32Array<ArrayBuffer>, extra: number) {
  const counting = countingGpu(node.gpu);
  const device = await must(await counting.gpu.requestAdapter(), 'an adapter').requestDevice();
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const buffers = [4, 16, 4].map((bytes) => device.createBuffer({ size: bytes * INVOCATIONS, usage }));
  const [orders, xs, ys] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer];
  device.queue.writeBuffer(orders, 0, order);
  device.queue.writeBuffer(
    xs,
    0,
    Float32Array.from({ length: 4 * INVOCATIONS }, (_, i) => i),
  );
  const layouts = (['read-only-storage', 'read-only-storage', 'read-only-storage', 'storage'] as const).map(
    (type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } }),
  );
  const layout = device.createBindGroupLayout({ entries: layouts });
  const empty = device.createBindGroupLayout({ entries: [] });
  const module = device.createShaderModule({ label: 'sample', code: SOURCE });
  const pipeline = device.createComputePipeline({
    label: `sample(EXTRA=${extra})`,
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout, empty] }),
    compute: { module, entryPoint: 'main', constants: { EXTRA: extra } },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [orders, xs, xs, ys].map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
  pass.setBindGroup(1, device.createBindGroup({ layout: empty, entries: [] }));
  pass.dispatchWorkgroups(INVOCATIONS / 64);
  pass.end();
  const copy = device.createBuffer({ size: 4 * INVOCATIONS, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  encoder.copyBufferToBuffer(ys, 0, copy, 0, 4 * INVOCATIONS);
  device.queue.submit([encoder.finish()]);
  const [found, ...others] = await counting.take();
  await copy.mapAsync(GPUMapMode.READ);
  const values = [...new Float32Array(copy.getMappedRange())];
  device.destroy();
  await device.lost;
  expect(others).toEqual([]);
  return { ...must(found, 'a dispatch'), values };
}

test.each([0, 2])('a kernel is counted as a loop counts it (component %i)', async (extra) => {
  const order = Uint32Array.from({ length: INVOCATIONS }, (_, i) => (i * i) % 100);
  const found = await count(order, extra);
  const touched = new Set<number>();
  const values = Array.from({ length: INVOCATIONS }, () => 0);
  order.forEach((from, i) => {
    touched.add(4 * from + 1);
    if (i % 2 === 1) return;
    for (let c = 0; c < 4; c++) touched.add(4 * from + c);
    values[i] = 4 * from + 4 * (order[i + 1] ?? 0) + 1 + 4 * from + extra;
  });
  const half = INVOCATIONS / 2;
  expect(found).toMatchObject({
    values,
    label: `sample(EXTRA=${extra})`,
    workgroups: [INVOCATIONS / 64, 1, 1],
    invocations: INVOCATIONS,
    read: 8 * INVOCATIONS + (20 + 4 + 8) * half,
    written: 8 * half,
    leastRead: 4 * (INVOCATIONS + touched.size + half),
    leastWritten: 4 * half,
    barriers: 1,
    workgroupBytes: 512,
  });
});
