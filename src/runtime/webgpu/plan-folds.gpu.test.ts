/**
 * comm/fold, comm/fold-between and comm/fold-from-many on a real device against the sums that they mean, to the bit:
 * few and many replicas, beginnings and lengths of every kind, with factors and without.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { SHADERS } from '../../graph/shader-sources';
import { randomSource } from '../../graph/testing/case-tools';
import type { Fold } from '../../program/fold-movements';
import { encodeCommands } from './bind-dispatches';
import { KernelSet } from './context';
import type { OpenedDevice } from './device';
import type { DispatchSpec } from './dispatch';
import { GpuMemory } from './executor-memory';
import { MemoryLayout } from './memory-layout';
import { planFolds } from './plan-folds';
import { StagingPool } from './staging-pool';
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

/** Elements of a replica; they lie one after the other in one GPUBuffer. */
const LENGTH = 10_000;

/**
 * `between`: the buffers named "sum" lie in a GPUBuffer of their own. Returns what the targets lie in, and VECTORS of
 * each dispatch.
 */
async function run(
  folds: readonly Fold[],
  image: Float32Array<ArrayBuffer>,
  { between = false, vectorsApart = false } = {},
): Promise<{ readonly sums: Float32Array; readonly vectors: readonly (number | undefined)[] }> {
  const own = must(opened, 'device');
  const layout = new MemoryLayout([], [], own.device.limits);
  const buffer = layout.reserve('replicas', image.byteLength);
  const sums = between ? layout.reserve('sums', image.byteLength) : buffer;
  const memory = new GpuMemory(own.device, layout);
  memory.write(buffer, 0, image);
  if (between) memory.write(sums, 0, image);
  const locate = (device: number, name: string) => ({
    buffer: name === 'sum' ? sums : buffer,
    offset: device * LENGTH * 4,
    bytes: LENGTH * 4,
    area: LENGTH * 4,
    spec: { name: 'g', shape: [LENGTH], dtype: 'f32', category: 'gradient', persistent: true } as const,
  });
  const specs = planFolds(folds, locate, layout, { vectorsApart });
  return {
    sums: await runSpecs(specs, memory, sums, image.byteLength),
    vectors: specs.map(({ constants }) => constants['VECTORS']),
  };
}

/** Returns the first bytes of a buffer after these dispatches, and frees the memory. */
async function runSpecs(
  specs: readonly DispatchSpec[],
  memory: GpuMemory,
  buffer: number,
  bytes: number,
): Promise<Float32Array> {
  const own = must(opened, 'device');
  const kernels = new KernelSet(own, SHADERS);
  await kernels.compile(specs);
  const staging = new StagingPool(memory);
  const read = staging.acquire(bytes);
  const encoder = own.device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  encodeCommands(pass, kernels.bind(specs, memory, 'test'));
  pass.end();
  encoder.copyBufferToBuffer(memory.buffer(buffer), 0, read, 0, bytes);
  own.device.queue.submit([encoder.finish()]);
  const result = new Float32Array(await staging.take(read, bytes));
  memory.dispose();
  expect(own.takeError()).toBeUndefined();
  return result;
}

it.each([
  { ranks: 2, scale: 1, shifted: false, after: 1, between: false },
  { ranks: 5, scale: Math.fround(1 / 5), shifted: false, after: 1, between: false },
  { ranks: 3, scale: Math.fround(1 / 3), shifted: true, after: 1, between: false },
  { ranks: 18, scale: 1, shifted: false, after: Math.fround(1 / 18), between: false },
  { ranks: 4, scale: 1, shifted: false, after: 1 / 4, between: true },
  { ranks: 3, scale: Math.fround(1 / 3), shifted: false, after: Math.fround(1 / 7), between: true },
  { ranks: 5, scale: 1, shifted: true, after: Math.fround(1 / 5), between: true },
  { ranks: 1, scale: 1, shifted: true, after: 1, between: true },
])('$ranks replicas, $scale, $after, shifted: $shifted, between: $between', async (given) => {
  const { ranks, scale, shifted, after, between } = given;
  const random = randomSource(ranks);
  const image = Float32Array.from({ length: ranks * LENGTH }, () => (random() - 0.5) * 10 ** Math.floor(9 * random()));
  const offset = (replica: number, from: number) => from + (shifted ? replica % 2 : 0);
  // A long one, ones too short for a vector, and one that begins anywhere; the order of the terms is the algorithm's.
  const stretches = [[0, 6001, 1] as const, [6011, 3, 0] as const, [6021, 1, 2] as const, [6042, 3950, 1] as const];
  const folds = stretches.map(([from, length, first]): Fold => {
    const places = Array.from({ length: ranks }, (_, k) => {
      const device = (first + k) % ranks;
      return { device, buffer: 'g', offset: offset(device, from) };
    });
    return {
      length,
      scale,
      after,
      terms: places,
      targets: places.map((place) => ({ ...place, buffer: between ? 'sum' : 'g' })),
    };
  });
  const expected = image.slice();
  for (const { length, terms, targets } of folds) {
    for (let i = 0; i < length; i++) {
      const [first = 0, ...others] = terms.map((t) => Math.fround(at(image, t.device * LENGTH + t.offset + i) * scale));
      const sum = others.reduce((s, value) => Math.fround(s + value), first);
      for (const t of targets) expected[t.device * LENGTH + t.offset + i] = sum * after;
    }
  }
  for (const vectorsApart of [false, true]) {
    const { sums, vectors } = await run(folds, image, { between, vectorsApart });
    expect(Buffer.compare(Buffer.from(sums.buffer), Buffer.from(expected.buffer))).toBe(0);
    const usual = ranks > 1 ? [shifted ? 0 : 1] : [undefined];
    expect(vectors).toEqual(vectorsApart && !between && !shifted ? [2, 0] : usual);
  }
});

it.each([
  { count: 8, length: 1_040, vectors: true },
  // The share of a rank does not begin at a vector.
  { count: 7, length: 1_030, vectors: false },
])('terms in $count GPUBuffers, vectors: $vectors', async ({ count, length, vectors }) => {
  const own = must(opened, 'device');
  const ranks = 4;
  const random = randomSource(count);
  const layout = new MemoryLayout([], [], own.device.limits);
  const gradients = Array.from({ length: count }, (_, k) => layout.reserve(`gradient ${k}`, ranks * length * 4));
  const shards = layout.reserve('shards', count * length * 4);
  const memory = new GpuMemory(own.device, layout);
  const images = gradients.map((buffer) => {
    const image = Float32Array.from(
      { length: ranks * length },
      () => (random() - 0.5) * 10 ** Math.floor(9 * random()),
    );
    memory.write(buffer, 0, image);
    return image;
  });
  const share = Math.floor(length / ranks);
  const expected = new Float32Array(count * length);
  const folds = images.flatMap((image, k) =>
    Array.from({ length: ranks }, (_, rank): Fold => {
      const terms = Array.from({ length: ranks }, (_, i) => (rank + 1 + i) % ranks);
      for (let i = 0; i < share; i++) {
        const [first = 0, ...others] = terms.map((d) => at(image, d * length + rank * share + i));
        expected[k * length + rank * share + i] = others.reduce((sum, x) => Math.fround(sum + x), first) * 0.25;
      }
      return {
        length: share,
        scale: 1,
        after: 0.25,
        terms: terms.map((device) => ({ device, buffer: `gradient ${k}`, offset: rank * share })),
        targets: [{ device: k, buffer: 'shards', offset: rank * share }],
      };
    }),
  );
  const locate = (device: number, name: string) => ({
    buffer: name === 'shards' ? shards : at(gradients, Number(name.split(' ')[1])),
    offset: device * length * 4,
    bytes: length * 4,
    area: length * 4,
    spec: { name, shape: [length], dtype: 'f32', category: 'gradient', persistent: true } as const,
  });
  const specs = planFolds(folds, locate, layout);
  const rest = count - 6;
  expect(specs.map(({ kernel, constants }) => [kernel, constants.SOURCES, constants.VECTORS])).toEqual([
    ['comm/fold-from-many', 6, vectors ? 1 : 0],
    rest > 1 ? ['comm/fold-from-many', rest, 1] : ['comm/fold-between', undefined, 0],
  ]);
  const result = await runSpecs(specs, memory, shards, expected.byteLength);
  expect(Buffer.compare(Buffer.from(result.buffer), Buffer.from(expected.buffer))).toBe(0);
});
