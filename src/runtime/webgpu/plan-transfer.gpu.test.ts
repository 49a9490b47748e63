/** Transfers on a real device against what they mean: every offset modulo four, short and long, within a buffer and between two, copied and added. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { randomSource } from '../../graph/testing/case-tools';
import { encodeCommands } from './bind-dispatches';
import { KernelSet } from './context';
import type { OpenedDevice } from './device';
import { GpuMemory } from './memory';
import { MemoryLayout } from './memory-layout';
import { type Move, planTransfers } from './plan-transfer';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';
import { COPY_DST } from './usage';

let gpu: NodeGpu | undefined;
let opened: OpenedDevice | undefined;

beforeAll(async () => {
  gpu = nodeGpu();
  opened = await gpu.open();
});

afterAll(async () => {
  await gpu?.close();
  gpu = undefined;
});

const LENGTH = 100_000;
const MAP_READ = 1;

async function run(moves: readonly Move[], add: boolean, contents: readonly Float32Array<ArrayBuffer>[]) {
  const own = must(opened, 'device');
  const { device } = own;
  const layout = new MemoryLayout([], [], device.limits);
  const buffers = contents.map((_, i) => layout.reserve(`${i}`, LENGTH * 4));
  const memory = new GpuMemory(device, layout);
  contents.forEach((data, i) => {
    memory.write(at(buffers, i), 0, data);
  });
  const specs = planTransfers(moves, add, layout);
  const kernels = new KernelSet(own, SHADERS);
  await kernels.compile(specs);
  const commands = kernels.bind(specs, memory, 'test');
  const staging = memory.create('staging', LENGTH * 4 * contents.length, MAP_READ | COPY_DST);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  encodeCommands(pass, commands);
  pass.end();
  contents.forEach((_, i) => {
    encoder.copyBufferToBuffer(memory.buffer(at(buffers, i)), 0, staging, i * LENGTH * 4, LENGTH * 4);
  });
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(MAP_READ);
  const words = new Uint32Array(staging.getMappedRange().slice(0));
  memory.dispose();
  expect(own.takeError()).toBeUndefined();
  return { kernels: specs.map(({ kernel }) => kernel), words };
}

it.each([
  ['between buffers, alike', 1, [0, 3, 50_001], 4, 'comm/transfer-vec4'],
  ['between buffers, not alike', 1, [0, 3, 50_001], 5, 'comm/transfer'],
  ['within a buffer, alike', 0, [2, 40_003], 47_000, 'comm/transfer-within-vec4'],
  ['within a buffer, not alike', 0, [2, 40_003], 47_001, 'comm/transfer-within'],
] as const)('%s', async (_, target, starts, distance, kernel) => {
  const random = randomSource(11);
  const data = () => Float32Array.from({ length: LENGTH }, () => random() * 2 - 1);
  const lengths = [39_998, 7, 3_001];
  const moves = starts.map((from, i): Move => {
    const length = target === 0 ? Math.min(at(lengths, i), 3_000 + i) * (i === 0 ? 12 : 1) : at(lengths, i);
    return { source: 0, target, from, to: from + distance, length };
  });
  for (const add of [false, true]) {
    const contents = target === 0 ? [data()] : [data(), data()];
    if (!add) new Uint32Array(at(contents, 0).buffer)[17] = 0x7fa00001; // a signalling NaN is moved as it is
    const expected = contents.map((each) => new Uint32Array(each.slice().buffer));
    for (const { from, to, length } of moves) {
      const source = at(contents, 0);
      const bits = new Uint32Array(source.buffer);
      const sums = new Float32Array(at(expected, target).buffer);
      for (let i = 0; i < length; i++) {
        if (add) sums[to + i] = at(sums, to + i) + at(source, from + i);
        else at(expected, target)[to + i] = at(bits, from + i);
      }
    }
    const { kernels, words } = await run(moves, add, contents);
    expect(kernels).toEqual([kernel]);
    expected.forEach((image, i) => {
      expect(
        Buffer.compare(Buffer.from(words.slice(i * LENGTH, (i + 1) * LENGTH).buffer), Buffer.from(image.buffer)),
      ).toBe(0);
    });
  }
});
