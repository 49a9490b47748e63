/**
 * Every tiled kernel against the kernels with one invocation per element, bit by bit, at sizes on and off the grid of
 * its tiles, for several instances.
 *
 * @module-tag rest: ops.gpu.test.ts holds the tiled kernels to the CPU off the grid of tiles.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { elements } from '../tensor/shape';
import { grid } from './launch';
import type { DenseLaunch } from './op';
import { matmul } from './ops/linear/matmul';
import { randomSource } from './testing/case-tools';
import { LaunchRunner } from './testing/run-launch';
import { productLaunch, type StridedProduct, TILE_KERNELS } from './tiled-product';
import { sharedProduct, slicedProduct, splitProduct } from './workgroup-products';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const LAYOUTS = {
  'a b': { a: ['m', 'k'], b: ['k', 'n'] },
  'a bT': { a: ['m', 'k'], b: ['n', 'k'] },
  'aT b': { a: ['k', 'm'], b: ['k', 'n'] },
  'aT bT': { a: ['k', 'm'], b: ['n', 'k'] },
} as const;

const SIZES = [
  { m: 64, n: 64, k: 32 },
  { m: 67, n: 132, k: 44 },
  { m: 5, n: 12, k: 4 },
  { m: 17, n: 71, k: 29 },
  { m: 1, n: 1, k: 1 },
];

interface Tiles {
  readonly name: string;
  readonly fits: (product: StridedProduct) => boolean;
  readonly launch: (product: StridedProduct) => DenseLaunch;
}

const TILES: readonly Tiles[] = [
  ...TILE_KERNELS.map((tile) => ({
    name: tile.kernel,
    fits: tile.fits,
    launch: (product: StridedProduct) => productLaunch(tile, product),
  })),
  ...([64, 128] as const).map((rows) => ({
    name: `workgroup/product, ${rows} x 64`,
    fits: () => true,
    launch: (product: StridedProduct) => sharedProduct(product, { rows }),
  })),
];

describe.each(TILES.map((tile) => [tile.name, tile] as const))('%s', (_, tile) => {
  it.each(Object.entries(LAYOUTS))('has the bits of one invocation per element: %s', async (_layout, { a, b }) => {
    const gpu = must(runner, 'runner');
    let compared = 0;
    for (const size of SIZES) {
      const { m, n, k } = size;
      const steps = [a[0] === 'm' ? k : 1, a[0] === 'm' ? 1 : m, b[0] === 'k' ? n : 1, b[0] === 'k' ? 1 : k] as const;
      const product: StridedProduct = { m, n, k, steps, a: 0, b: 1, c: 2 };
      if (!tile.fits(product)) continue;
      const plain: DenseLaunch = {
        kind: 'dense',
        kernel: 'ops/matmul',
        bindings: [0, 1, 2],
        params: [m, n, k, ...steps],
        workgroups: grid(m * n),
      };
      const types = {
        inputs: [a, b].map((names) => ({ shape: names.map((name) => size[name]), dtype: 'f32' as const })),
        outputs: [{ shape: [m, n], dtype: 'f32' as const }],
        attrs: {},
      };
      const random = randomSource(m + n);
      const data = (length: number) => Float32Array.from({ length }, () => random() * 2 - 1);
      const inputs = [0, 1, 2].map(() => [data(m * k), data(k * n)]);
      const run = (launch: DenseLaunch) => gpu.run({ ...matmul, lower: () => [launch] }, types, inputs);
      const [tiled, single] = [await run(tile.launch(product)), await run(plain)];
      single.forEach(([expected], z) => {
        const actual = must(at(tiled, z)[0], 'c');
        expect(new Uint32Array(actual.buffer), `${m}x${n}x${k}`).toEqual(new Uint32Array(must(expected, 'c').buffer));
      });
      compared++;
    }
    expect(compared > 0 || !tile.fits({ m: 4, n: 4, k: 4, steps: stepsOf(a[0], b[0]), a: 0, b: 1, c: 2 })).toBe(true);
  });
});

it.each([
  ['a batch', [3, 2, 9, 7], [3, 2, 7, 10], {}],
  ['a batch broadcast on either side', [3, 1, 5, 6], [2, 6, 8], {}],
  ['a batch transposed', [4, 7, 9], [4, 11, 7], { transposeA: true, transposeB: true }],
  ['the gradient of what was broadcast', [2, 3, 6, 5], [2, 3, 6, 9], { transposeA: true, sumTo: [3, 5, 9] }],
] as const)('matmul/batched has the bits of one invocation per element: %s', async (_name, a, b, attrs) => {
  const gpu = must(runner, 'runner');
  const f32 = (shape: readonly number[]) => ({ shape, dtype: 'f32' as const });
  const inputs = [f32(a), f32(b)];
  const types = { inputs, outputs: matmul.infer(inputs, attrs), attrs };
  const [launch] = matmul.lower(types);
  if (launch?.kind !== 'dense') throw new Error('a dense launch');
  expect(launch.kernel).toBe('matmul/batched');
  const plain: DenseLaunch = {
    ...launch,
    kernel: 'ops/matmul-batched',
    workgroups: grid(elements(at(types.outputs, 0).shape)),
  };
  const random = randomSource(3);
  const data = [0, 1].map(() =>
    inputs.map(({ shape }) => Float32Array.from({ length: elements(shape) }, () => random() * 2 - 1)),
  );
  const run = (one: DenseLaunch) => gpu.run({ ...matmul, lower: () => [one] }, types, data);
  const [tiled, single] = [await run(launch), await run(plain)];
  const bits = (all: readonly (readonly Float32Array[])[]) =>
    all.map(([c]) => [...new Uint32Array(must(c, 'c').buffer)]);
  expect(bits(tiled)).toEqual(bits(single));
});

describe.each(Object.entries(LAYOUTS))('a product cut along k: %s', (_layout, { a, b }) => {
  const sizes = [
    { m: 64, n: 64, k: 64 },
    { m: 132, n: 72, k: 100 },
    { m: 37, n: 10, k: 333 },
    { m: 256, n: 512, k: 48 },
    { m: 3, n: 5, k: 2 },
  ];
  it.each(sizes)('has the same bits in tiles of any size: $m x $n x $k', async (size) => {
    const gpu = must(runner, 'runner');
    const { m, n, k } = size;
    const steps = [a[0] === 'm' ? k : 1, a[0] === 'm' ? 1 : m, b[0] === 'k' ? n : 1, b[0] === 'k' ? 1 : k] as const;
    const product: StridedProduct = { m, n, k, steps, a: 0, b: 1, bias: 2, c: 3, activation: 1 };
    const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' as const });
    const operand = (names: readonly ('m' | 'n' | 'k')[]) => f32(...names.map((name) => size[name]));
    const types = { inputs: [operand(a), operand(b), f32(n)], outputs: [f32(m, n)], attrs: {} };
    const random = randomSource(m * n + k);
    const data = types.inputs.map(({ shape }) =>
      Float32Array.from({ length: elements(shape) }, () => random() * 2 - 1),
    );
    // What is not a number stays in its row and column.
    at(data, 0)[0] = Number.POSITIVE_INFINITY;
    at(data, 1)[elements(at(types.inputs, 1).shape) - 1] = Number.NaN;
    const run = async (launch: DenseLaunch) => {
      const [[c] = []] = await gpu.run({ ...matmul, lower: () => [launch] }, types, [data]);
      return must(c, 'c');
    };
    const split = await run(splitProduct(product));
    for (const rows of [64, 128] as const) {
      const sliced = await run(slicedProduct(product, rows));
      expect(new Uint32Array(sliced.buffer)).toEqual(new Uint32Array(split.buffer));
    }
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j++) {
        let sum = must(data[2]?.[j], 'bias');
        for (let t = 0; t < k; t++)
          sum += must(data[0]?.[i * steps[0] + t * steps[1]], 'a') * must(data[1]?.[t * steps[2] + j * steps[3]], 'b');
        const expected = Number.isNaN(sum) ? sum : Math.max(0, sum);
        const actual = must(split[i * n + j], 'c');
        const close = Object.is(actual, expected) || Math.abs(actual - expected) <= 1e-5 * (1 + k ** 0.5);
        if (!close) expect(actual, `${i}, ${j}`).toBe(expected);
      }
    }
  });
});

function stepsOf(a: 'm' | 'k', b: 'k' | 'n'): StridedProduct['steps'] {
  return [a === 'm' ? 4 : 1, a === 'm' ? 1 : 4, b === 'k' ? 4 : 1, b === 'k' ? 1 : 4];
}
