/**
 * Transfers on a real device against what they mean: every offset modulo four, short and long, within a buffer and
 * between two, by every join.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { randomSource } from '../../graph/testing/case-tools';
import type { Apply } from '../../protocol/trace';
import type { DType } from '../../tensor/shape';
import { join } from '../cpu/combine';
import { encodeCommands } from './bind-dispatches';
import { KernelSet } from './context';
import type { OpenedDevice } from './device';
import { GpuMemory } from './executor-memory';
import { COPY_DST } from './gpu-flags';
import { type JoinCode, joinCode } from './join-code';
import { MemoryLayout } from './memory-layout';
import { planTransfers, type TransferMove } from './plan-transfer';
import { type NodeGpu, nodeGpu } from './testing/node-gpu';

let gpu: NodeGpu | undefined;
let opened: OpenedDevice | undefined;

beforeAll(async () => {
  gpu = nodeGpu({ warm: true });
  opened = await gpu.open();
});

afterAll(async () => {
  await gpu?.close();
  gpu = undefined;
});

const LENGTH = 100_000;
const EVERY_JOIN: readonly (readonly [Apply, DType])[] = [
  ['multiply', 'f32'],
  ['min', 'f32'],
  ['max', 'f32'],
  ['band', 'i32'],
  ['bor', 'i32'],
  ['bxor', 'i32'],
  ['add', 'i32'],
  ['multiply', 'i32'],
  ['min', 'i32'],
  ['max', 'i32'],
];
const MAP_READ = 1;

async function run(moves: readonly TransferMove[], join: JoinCode, contents: readonly Float32Array<ArrayBuffer>[]) {
  const own = must(opened, 'device');
  const { device } = own;
  const layout = new MemoryLayout([], [], device.limits);
  const buffers = contents.map((_, i) => layout.reserve(`${i}`, LENGTH * 4));
  const memory = new GpuMemory(device, layout);
  contents.forEach((data, i) => {
    memory.write(at(buffers, i), 0, data);
  });
  const specs = planTransfers(moves, join, layout);
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
  ['between buffers, alike', 1, [0, 40_003, 50_001], 4, 'comm/transfer-vec4'],
  ['between buffers, not alike', 1, [0, 40_003, 50_001], 5, 'comm/transfer'],
  ['within a buffer, alike', 0, [2, 40_003], 47_000, 'comm/transfer-within-vec4'],
  ['within a buffer, not alike', 0, [2, 40_003], 47_001, 'comm/transfer-within'],
] as const)('%s', async (_, target, starts, distance, kernel) => {
  const random = randomSource(11);
  const data = () => Float32Array.from({ length: LENGTH }, () => random() * 2 - 1);
  const lengths = [39_998, 7, 3_001];
  const moves = starts.map((from, i): TransferMove => {
    const length = target === 0 ? Math.min(at(lengths, i), 3_000 + i) * (i === 0 ? 12 : 1) : at(lengths, i);
    return { source: 0, target, from, to: from + distance, length };
  });
  const applies: readonly (readonly [Apply, DType])[] = [['put', 'f32'], ['add', 'f32'], ...EVERY_JOIN];
  for (const [apply, dtype] of applies) {
    const contents = target === 0 ? [data()] : [data(), data()];
    // NaNs on either side, signalling ones too, and zeros of both signs; of a sum or product with one, the bits are
    // open.
    const bits = contents.map((each) => new Uint32Array(each.buffer));
    if (apply !== 'add' && apply !== 'multiply') {
      at(bits, 0).set([0x7fa00001, 0x80000000, 0, 0xffc00000], 16);
      at(bits, target).set([0x80000000, 0, 0x7f800001], 16 + distance + 1);
    }
    const expected = contents.map((each) => (dtype === 'f32' ? each.slice() : new Int32Array(each.slice().buffer)));
    for (const { from, to, length } of moves)
      join(at(expected, target).subarray(to, to + length), at(contents, 0).slice(from, from + length), apply);
    const { kernels, words } = await run(moves, joinCode(apply, dtype), contents);
    expect(kernels).toEqual([kernel]);
    expected.forEach((image, i) => {
      expect(
        Buffer.compare(Buffer.from(words.slice(i * LENGTH, (i + 1) * LENGTH).buffer), Buffer.from(image.buffer)),
        `${apply} ${dtype}`,
      ).toBe(0);
    });
  }
});

it.each([
  ['vectors', 1],
  ['elements', 0],
] as const)('from one buffer to eight, %s', async (_, vectors) => {
  const random = randomSource(12);
  const contents = Array.from({ length: 9 }, () => Float32Array.from({ length: LENGTH }, () => random() * 2 - 1));
  // Signalling NaNs and zeros of both signs keep their bits.
  for (const data of contents) new Uint32Array(data.buffer).set([0x7fa00001, 0x80000000, 0, 0xffc00000], 16);
  const odd = 1 - vectors;
  // Long and short copies into each target.
  const moves = Array.from({ length: 8 }, (_, k): TransferMove[] => [
    {
      source: 0,
      target: k + 1,
      from: 16 + 12 * k + odd * k,
      to: 40 + 4 * k,
      length: (vectors ? 2_000 : 301) * (k + 1),
    },
    { source: 0, target: k + 1, from: 70_000 + 4 * k, to: 50_000 + odd * k, length: 4 + odd },
  ]).flat();
  const expected = contents.map((each) => each.slice());
  for (const { target, from, to, length } of moves)
    at(expected, target).set(at(contents, 0).subarray(from, from + length), to);
  const { kernels, words } = await run(moves, joinCode('put', 'f32'), contents);
  expect(kernels).toEqual(['comm/transfer-to-many', 'comm/transfer-to-many']);
  expected.forEach((image, i) => {
    const own = Buffer.from(words.slice(i * LENGTH, (i + 1) * LENGTH).buffer);
    expect(Buffer.compare(own, Buffer.from(image.buffer)), `buffer ${i}`).toBe(0);
  });
});
