/**
 * The convolutions of hardware against those of software adapters, bit by bit (but for the gradient of a bias, whose
 * sums have another order): shapes on and off the grid of their workgroups, groups, paddings, infinity and NaN.
 *
 * @module-tag rest: the software adapter of the tests gets the other kernels; conv.gpu.test.ts holds those to the CPU.
 */
import { beforeAll, expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { elements, type Shape } from '../tensor/shape';
import type { OpTypes } from './op';
import { ALL_OPS } from './testing/all-ops';
import { randomSource } from './testing/case-tools';
import { relativeError } from './testing/closeness';
import { HARDWARE } from './testing/hardware-tuning';
import { LaunchRunner } from './testing/run-launch';
import { withLongParts } from './workgroup-convolutions';
import { lowerFor } from './workgroup-launches';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const f32 = (shape: Shape) => ({ shape, dtype: 'f32' as const });

interface Case {
  readonly x: Shape;
  readonly out: number;
  readonly padding?: number;
  readonly groups?: number;
}

/** Random numbers; `odd`: the first is infinite, the last is NaN. */
function draw(shape: Shape, random: () => number, odd: boolean): Float32Array {
  const data = Float32Array.from({ length: elements(shape) }, () => random() * 2 - 1);
  if (odd) data.set([Number.POSITIVE_INFINITY], 0);
  if (odd) data.set([Number.NaN], data.length - 1);
  return data;
}

/** `exact`: how many elements of each row of an output have the same bits; the others are close. */
async function compare(name: string, types: OpTypes, data: readonly Float32Array[], exact?: readonly number[]) {
  const op = must(ALL_OPS.get(name), name);
  const run = async (hardware: boolean) => {
    const gpu = must(runner, 'runner');
    const instances = [data, data.map((each) => each.toReversed())];
    if (hardware) return await gpu.tuned(HARDWARE).run(op, types, instances);
    return await gpu.run({ ...op, lower: (own) => withLongParts(op.lower(own)) }, types, instances);
  };
  const kernels = lowerFor(op, types, HARDWARE).map(({ kernel }) => kernel);
  const [plain, own] = [await run(false), await run(true)];
  plain.forEach((outputs, z) => {
    outputs.forEach((expected, k) => {
      const actual = at(at(own, z), k);
      const width = at(types.outputs, k).shape.at(-1) ?? 1;
      // Which NaN it is depends on the order in which a driver multiplies.
      const bits = (all: Float32Array) =>
        [...new Uint32Array(all.map((v) => (Number.isNaN(v) ? Number.NaN : v)).buffer)].filter(
          (_, n) => n % width < (exact?.[k] ?? width),
        );
      expect(bits(actual), `output ${k}`).toEqual(bits(expected));
      expect(relativeError(actual, expected), `output ${k}`).toBeLessThan(1e-5);
    });
  });
  return kernels;
}

const CASES: readonly Case[] = [
  { x: [3, 8, 14, 14], out: 16, padding: 1 },
  { x: [2, 1, 28, 28], out: 8, padding: 1 },
  { x: [5, 11, 15, 13], out: 19, padding: 1 },
  { x: [2, 13, 20, 37], out: 35, padding: 0 },
  { x: [3, 12, 17, 16], out: 10, padding: 2, groups: 2 },
  { x: [1, 9, 18, 64], out: 7, padding: 1 },
];

it.each(CASES)('$x to $out channels: forward, and the gradients of the input and of the parameters', async (each) => {
  const { x, out, padding = 1, groups = 1 } = each;
  const [n = 0, channels = 0, height = 0, width = 0] = x;
  const attrs = { padding, groups };
  const weight = [out, channels / groups, 3, 3];
  const y = [n, out, height + 2 * padding - 2, width + 2 * padding - 2];
  for (const odd of [false, true]) {
    const random = randomSource(out);
    const [xs, ws, bs, dys] = [x, weight, [out], y].map((shape) => draw(shape, random, odd)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const forward = { inputs: [x, weight, [out]].map(f32), outputs: [f32(y)], attrs };
    expect(await compare('conv/conv2d', forward, [xs, ws, bs])).toEqual(['workgroup/conv2d-3x3']);
    const input = { inputs: [y, weight].map(f32), outputs: [f32(x)], attrs: { ...attrs, inputSize: [height, width] } };
    expect(await compare('conv/conv2d-grad-input', input, [dys, ws])).toEqual(['workgroup/conv2d-3x3']);
    const ofParams = { ...attrs, kernelSize: [3, 3], bias: true };
    const inputs = [x, y].map(f32);
    const outputs = must(ALL_OPS.get('conv/conv2d-grad-params'), 'gradient').infer(inputs, ofParams);
    // The scratch has parts of the weights, then of the bias; the parts are added up in another order.
    const exact = [0, 0, elements(weight)];
    const plain = await compare('conv/conv2d-grad-params', { inputs, outputs, attrs: ofParams }, [xs, dys], exact);
    expect(plain[0]).toBe('workgroup/conv2d-grad-params-3x3');
    expect(plain.filter((kernel) => kernel.startsWith('conv/channel-sums'))).toEqual([]);
  }
});

it('parts of the gradient have at least eight rows, and each row is in one part', () => {
  for (const [batch, height, bias] of [
    [16, 14, true],
    [64, 14, false],
    [1, 3, true],
    [33, 5, true],
  ] as const) {
    const attrs = { padding: 1, kernelSize: [3, 3], bias };
    const inputs = [f32([batch, 8, height, 10]), f32([batch, 16, height, 10])];
    const op = must(ALL_OPS.get('conv/conv2d-grad-params'), 'gradient');
    const launches = withLongParts(op.lower({ inputs, outputs: op.infer(inputs, attrs), attrs }));
    const [gradient, sum, channels, sumOfBias] = launches.map(({ params }) => params.map(Number));
    const [n = 0, rows = 0] = must(gradient, 'gradient');
    const parts = n / (8 * 2);
    expect(rows >= Math.min(8, batch * height)).toBe(true);
    expect([parts * rows >= batch * height, (parts - 1) * rows < batch * height]).toEqual([true, true]);
    expect(sum?.[1]).toBe(parts);
    if (bias) expect([channels?.slice(0, 2), sumOfBias?.[1]]).toEqual([[parts * 16, rows], parts]);
  }
});

it('rows of more than 64 pixels keep the plain gradient', () => {
  const attrs = { padding: 1, kernelSize: [3, 3], bias: true };
  const inputs = [f32([1, 2, 4, 65]), f32([1, 3, 4, 65])];
  const op = must(ALL_OPS.get('conv/conv2d-grad-params'), 'gradient');
  const kernels = lowerFor(op, { inputs, outputs: op.infer(inputs, attrs), attrs }, HARDWARE).map(
    ({ kernel }) => kernel,
  );
  expect(kernels).toContain('conv/conv2d-grad-params-3x3');
  expect(kernels.some((kernel) => kernel.startsWith('conv/channel-sums'))).toBe(true);
});
