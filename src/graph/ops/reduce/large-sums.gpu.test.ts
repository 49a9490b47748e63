/**
 * Large sums, copies and look-ups on a real WebGPU device against the CPU: partial sums, vectors of four, chains,
 * indices out of range.
 */
import { beforeAll, expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { bitsOf } from '../../../tensor/bits';
import { allocate, elements, type HostArray } from '../../../tensor/shape';
import { CpuScratch } from '../../cpu-scratch';
import type { Attrs, TensorType } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';
import { randomSource } from '../../testing/case-tools';
import { relativeError } from '../../testing/closeness';
import { LaunchRunner } from '../../testing/run-launch';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const f32 = (...shape: number[]): TensorType => ({ shape, dtype: 'f32' });
const i32 = (...shape: number[]): TensorType => ({ shape, dtype: 'i32' });

/** Outputs of the CPU and of the GPU for `instances` random inputs; int32 inputs lie below `rows`. */
async function both(name: string, inputs: readonly TensorType[], attrs: Attrs, instances = 1, rows = 1) {
  const op = must(ALL_OPS.get(name), name);
  const types = { inputs, outputs: op.infer(inputs, attrs), attrs };
  const random = randomSource(11);
  const given = Array.from({ length: instances }, () =>
    inputs.map(({ shape, dtype }): HostArray => {
      const data = allocate(dtype, elements(shape));
      return data.map(() => (dtype === 'i32' ? Math.floor(random() * rows) : random() - 0.4));
    }),
  );
  const expected = given.map((data) => {
    const outputs = types.outputs.map((t) => allocate(t.dtype, elements(t.shape)));
    op.cpu({ inputs: data, outputs, inputTypes: inputs, outputTypes: types.outputs, attrs, scratch: new CpuScratch() });
    return at(outputs, 0);
  });
  const actual = (await must(runner, 'runner').run(op, types, given)).map((outputs) => at(outputs, 0));
  return { op, types, expected, actual };
}

const LARGE: readonly (readonly [name: string, inputs: readonly TensorType[], attrs: Attrs, launches: number])[] = [
  ['ops/sum', [f32(300_007)], {}, 3],
  ['ops/sum', [f32(4096)], {}, 2],
  ['ops/sum', [f32(1500, 12)], { dim: 0 }, 2],
  ['ops/sum', [f32(1500, 5)], { dim: 0, mean: true }, 2],
  ['ops/sum', [f32(3, 2001)], { dim: 1 }, 2],
  ['ops/sum', [f32(8, 3, 5, 7)], { dim: [0, 2, 3] }, 2],
  ['ops/sum-grad', [f32(9)], { shape: [9, 12], outer: 9, n: 12, inner: 1, divisor: 3 }, 1],
  ['ops/sum-grad', [f32(3, 8)], { shape: [3, 5, 8], outer: 3, n: 5, inner: 8, divisor: 5 }, 1],
  ['reduce/norm', [f32(9999)], {}, 2],
  ['reduce/max', [f32(9999)], {}, 2],
  ['shape/permute', [f32(3, 8, 2, 12)], { dims: [0, 2, 1, 3] }, 1],
  ['shape/chunk', [f32(9, 24)], { chunks: 3, dim: 1 }, 3],
  ['shape/pad', [f32(6, 12)], { pad: [4, 8, 1, 0], value: -1.5 }, 2],
];

it.each(LARGE)('%s of %j with %j takes %i launches and agrees with the CPU', async (name, inputs, attrs, launches) => {
  const { op, types, expected, actual } = await both(name, inputs, attrs, 2);
  expect(op.lower(types)).toHaveLength(launches);
  actual.forEach((y, z) => {
    expect(relativeError(y, at(expected, z))).toBeLessThan(1e-6);
  });
});

it.each([
  [8, -1],
  [7, 3],
])('accumulates 3,000 positions of few ids in their order, rows of %i, padding %i', async (width, skip) => {
  const inputs = [f32(3000, width), i32(3000)];
  const { expected, actual } = await both('embedding/embedding-grad', inputs, { shape: [11, width], skip }, 2, 11);
  actual.forEach((y, z) => {
    // One accumulator in order of position on both sides: the same bits.
    expect(y).toEqual(at(expected, z));
    if (skip >= 0) expect(y.subarray(skip * width, skip * width + width).every((v) => v === 0)).toBe(true);
  });
});

it.each([
  [700, 8, -1],
  [3001, 5, 9],
])('chains 1,500 positions of %i ids block by block, rows of %i, padding %i', async (ids, width, skip) => {
  const inputs = [f32(1500, width), i32(1500)];
  const attrs = { shape: [ids, width], skip };
  const { op, types, expected, actual } = await both('embedding/embedding-grad', inputs, attrs, 2, ids / 4);
  expect(op.lower(types).map((launch) => launch.kernel)).toContain('shape/chain-link');
  actual.forEach((y, z) => {
    expect(y).toEqual(at(expected, z));
  });
});

it.each([
  [8, -1, 0],
  [5, 9, 0],
  [4, -1, 1000],
])(
  'chains 150 positions of 5,000 rows by the positions alone, rows of %i, padding %i, ids from %i',
  async (...made) => {
    const [width, skip, first] = made;
    const inputs = [f32(150, width), i32(150)];
    const attrs = { shape: [5000, width], skip, first };
    const op = must(ALL_OPS.get('embedding/embedding-grad'), 'the operator');
    const types = { inputs, outputs: op.infer(inputs, attrs), attrs };
    const fill = width % 4 === 0 ? 'shape/fill-vec4' : 'shape/fill';
    expect(
      op
        .lower(types)
        .map((launch) => launch.kernel)
        .slice(0, 2),
    ).toEqual([fill, 'shape/chain-picks']);
    const random = randomSource(5);
    // Few ids, so that chains are long; some are outside the table.
    const ids = Int32Array.from(
      { length: 150 },
      (_, j) => first + Math.floor(random() * 30) + (j % 7 === 0 ? 4985 : -3),
    );
    const dy = Float32Array.from({ length: 150 * width }, () => random() - 0.4);
    const expected = types.outputs.map((t) => allocate(t.dtype, elements(t.shape)));
    const given = { inputs: [dy, ids], inputTypes: inputs, outputTypes: types.outputs, attrs };
    op.cpu({ ...given, outputs: expected, scratch: new CpuScratch() });
    const outputs = await must(runner, 'runner').run(op, types, [
      [dy, ids],
      [dy, ids],
    ]);
    for (const actual of outputs) {
      expect(actual.map(bitsOf)).toEqual(expected.map(bitsOf));
    }
  },
);

it('gives NaN for an index out of range, and only there', async () => {
  const gpu = must(runner, 'runner');
  const table = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
  const run = async (name: string, inputs: readonly TensorType[], attrs: Attrs, data: readonly HostArray[]) => {
    const op = must(ALL_OPS.get(name), name);
    const types = { inputs, outputs: op.infer(inputs, attrs), attrs };
    return [...at(at(await gpu.run(op, types, [data]), 0), 0)];
  };
  const { NaN: nan } = Number;
  const ids = Int32Array.of(1, 4, -1);
  expect(await run('embedding/embedding', [i32(3), f32(4, 2)], {}, [ids, table])).toEqual([3, 4, nan, nan, nan, nan]);
  expect(await run('embedding/embedding', [i32(3), f32(2, 4)], {}, [ids, table])).toEqual([
    5,
    6,
    7,
    8,
    ...Array(8).fill(nan),
  ]);
  expect(await run('shape/gather', [f32(8), i32(3)], { dim: 0 }, [table, Int32Array.of(7, 8, 0)])).toEqual([8, nan, 1]);
  const grad = await run('embedding/embedding-grad', [f32(3, 2), i32(3)], { shape: [4, 2], skip: -1 }, [
    Float32Array.of(1, 2, 3, 4, 5, 6),
    ids,
  ]);
  expect(grad).toEqual([0, 0, 1, 2, 0, 0, 0, 0]);
});
