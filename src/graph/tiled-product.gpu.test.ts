/** Every tiled kernel against the kernels with one invocation an element, bit by bit, at sizes on and off the grid of its tiles, for several instances. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { grid } from './launch';
import type { DenseLaunch } from './op';
import { matmul } from './ops/linear/matmul';
import { randomSource } from './testing/case-tools';
import { LaunchRunner } from './testing/run-launch';
import { type Product, productLaunch, TILE_KERNELS } from './tiled-product';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

afterAll(() => {
  runner?.close();
  runner = undefined;
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

describe.each(TILE_KERNELS.map((tile) => [tile.kernel, tile] as const))('%s', (_, tile) => {
  it.each(Object.entries(LAYOUTS))('has the bits of one invocation an element: %s', async (_layout, { a, b }) => {
    const gpu = must(runner, 'runner');
    let compared = 0;
    for (const size of SIZES) {
      const { m, n, k } = size;
      const steps = [a[0] === 'm' ? k : 1, a[0] === 'm' ? 1 : m, b[0] === 'k' ? n : 1, b[0] === 'k' ? 1 : k] as const;
      const product: Product = { m, n, k, steps, a: 0, b: 1, c: 2 };
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
      const [tiled, single] = [await run(productLaunch(tile, product)), await run(plain)];
      single.forEach(([expected], z) => {
        const actual = must(at(tiled, z)[0], 'c');
        expect(new Uint32Array(actual.buffer), `${m}x${n}x${k}`).toEqual(new Uint32Array(must(expected, 'c').buffer));
      });
      compared++;
    }
    expect(compared > 0 || !tile.fits({ m: 4, n: 4, k: 4, steps: stepsOf(a[0], b[0]), a: 0, b: 1, c: 2 })).toBe(true);
  });
});

function stepsOf(a: 'm' | 'k', b: 'k' | 'n'): Product['steps'] {
  return [a === 'm' ? 4 : 1, a === 'm' ? 1 : 4, b === 'k' ? 4 : 1, b === 'k' ? 1 : 4];
}
