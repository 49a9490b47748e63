/**
 * Every operator on a real WebGPU device against its CPU kernel: each forward and backward node of every case, with 1
 * and with 3 instances.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { place } from '../../scripts/tier';
import { at, must } from '../base/invariant';
import { CpuScratch } from './cpu-scratch';
import { ALL_OPS } from './testing/all-ops';
import { type Maker, randomSource, type Sizes } from './testing/case-tools';
import { CASES } from './testing/cases';
import { relativeError } from './testing/closeness';
import { LaunchRunner } from './testing/run-launch';
import { errorOf, type Measure, worstErrorOn } from './testing/worst-error';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const worstError = (make: Maker, sizes: Sizes, instances: number, measure: Measure = errorOf) =>
  worstErrorOn(must(runner, 'runner'), make, sizes, { instances, measure });

const SHAPES: readonly Sizes[] = [
  [1, 1, 1],
  [3, 5, 7],
  [13, 8, 31],
];

const ONE = 'three instances run the same kernels, and the parity tests of this folder run one';

describe.each(Object.entries(CASES))('%s', (_, make) => {
  for (const instances of [1, 3])
    it(`agrees with the CPU, ${instances} instance(s)`, place(instances === 1 ? { rest: ONE } : {}), async () => {
      for (const sizes of SHAPES) {
        const { error, node } = await worstError(make, sizes, instances);
        expect(error, `${node} at ${sizes.join('x')}`).toBeLessThan(1e-5);
      }
    });
});

it('folds grids of more than 32,768 workgroups into two dimensions', async () => {
  const { error, node } = await worstError(must(CASES['add a row'], 'add'), [1, 1, 2_200_003], 1);
  expect(error, node).toBeLessThan(1e-5);
});

it.each(Object.keys(CASES).filter((name) => /mse|l1|bce|cross|nll/.test(name)))(
  'sums a large batch in parts: %s',
  async (name) => {
    for (const sizes of [
      [701, 7, 1],
      [1501, 3, 1],
    ] as const) {
      const { error, node } = await worstError(must(CASES[name], name), sizes, 3);
      expect(error, `${node} at ${sizes.join('x')}`).toBeLessThan(1e-5);
    }
  },
);

// Not under a causal mask: there NaN spreads by tiles, which attention's own test bounds.
const NAN_CASES = Object.keys(CASES).filter((name) => !name.includes('causal'));

/**
 * Turned correlations multiply the zeros outside the image too, so that a NaN in the weight spreads to all pixels whose
 * window sticks out; PyTorch's CPU leaves those out. There no NaN may be lost and every number has to agree.
 */
const TURNED = new Set(['conv/conv2d-grad-input', 'conv/conv-transpose2d']);

const errorWithNan: Measure = (node, actual, expected, inputs) => {
  if (!TURNED.has(node)) return errorOf(node, actual, expected, inputs);
  return relativeError(
    actual,
    expected.map((e, i) => (Number.isNaN(actual[i]) ? Number.NaN : e)),
  );
};

/** Real inputs, which can hold a NaN: class and row indices cannot. */
const realInputs = (name: string): readonly number[] =>
  must(CASES[name], name)([3, 4, 5], randomSource(1)).inputs.flatMap(({ type }, i) =>
    type.dtype === 'f32' ? [i] : [],
  );

const SAME_KERNELS =
  'the same kernels run with numbers; the quick tier sees NaN in losses only (webgpu-executor.gpu.test.ts)';

describe.each(NAN_CASES)(
  'lets NaN through as the CPU does, forward and backward: %s',
  place({ rest: SAME_KERNELS }),
  (name) => {
    it.each(realInputs(name))('in input %i', async (input) => {
      const make = must(CASES[name], name);
      const poisoned: typeof make = (sizes, random) => {
        const made = make(sizes, random);
        const { data } = at(made.inputs, input);
        const place = Math.min(5, data.length - 1);
        data[place] = Number.NaN;
        expect(data[place]).toBeNaN();
        return made;
      };
      const { error, node } = await worstError(poisoned, [3, 4, 5], 2, errorWithNan);
      expect(error, node).toBeLessThan(1e-5);
    });
  },
);

it('stays finite at extreme logits, and turns a class out of range into NaN', async () => {
  const gpu = must(runner, 'runner');
  const row = (...values: number[]) => Float32Array.of(...values);
  const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
  const bce = { inputs: [f32(4), f32(4)], outputs: [f32(1)], attrs: { reduction: 'sum' } };
  const [[loss] = []] = await gpu.run(must(ALL_OPS.get('loss/bce-with-logits'), 'bce'), bce, [
    [row(100, -100, 1000, -1000), row(1, 0, 0, 1)],
  ]);
  expect(at(must(loss, 'loss'), 0)).toBeCloseTo(2000, 2);
  const op = must(ALL_OPS.get('loss/cross-entropy'), 'cross-entropy');
  const given = { inputs: [f32(2, 3), { shape: [2], dtype: 'i32' }], attrs: { reduction: 'mean' } } as const;
  const cross = { ...given, outputs: op.infer(given.inputs, given.attrs) };
  const logits = row(1000, 0, -1000, 0, 0, 0);
  const run = async (labels: Int32Array) => at(must((await gpu.run(op, cross, [[logits, labels]]))[0]?.[0], 'loss'), 0);
  expect(await run(Int32Array.of(2, 0))).toBeCloseTo((2000 + Math.log(3)) / 2, 3);
  expect(await run(Int32Array.of(-100, 0))).toBeCloseTo(Math.log(3), 5);
  expect(await run(Int32Array.of(3, 0))).toBeNaN();
});

describe.each([
  'linear',
  'linear without bias',
  'matmul',
  'matmul, a transposed',
  'matmul, b transposed',
  'matmul, both transposed',
])('tiles: %s', (name) => {
  it.each([1, 3])('agrees with the CPU off the grid of tiles, %i instance(s)', async (instances) => {
    const make = must(CASES[name], name);
    for (const sizes of [
      [37, 101, 67],
      [128, 64, 33],
    ] as const) {
      const { error, node } = await worstError(make, sizes, instances);
      expect(error, `${node} at ${sizes.join('x')}`).toBeLessThan(1e-5);
    }
  });
});

it('gives the same bits from tiles as from one invocation per element', async () => {
  const [m, n, k] = [41, 70, 129];
  const random = randomSource(7);
  const data = (length: number) => Float32Array.from({ length }, () => random() * 2 - 1);
  const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
  const inputs = [[data(m * k), data(n * k), data(n)]];
  const types = { inputs: [f32(m, k), f32(n, k), f32(n)], outputs: [f32(m, n)], attrs: {} };
  const op = must(ALL_OPS.get('ops/linear'), 'linear');
  const small = {
    kernel: 'ops/linear',
    constants: { HAS_BIAS: 1 },
    bindings: [0, 1, 2, 3],
    params: [m, k, n],
    workgroups: [Math.ceil((m * n) / 64), 1],
  } as const;
  expect(op.lower(types).map((launch) => launch.kernel)).toEqual(['matmul/narrow']);
  const gpu = must(runner, 'runner');
  const tiled = at(at(await gpu.run(op, types, inputs), 0), 0);
  const single = at(at(await gpu.run({ ...op, lower: () => [{ kind: 'dense', ...small }] }, types, inputs), 0), 0);
  expect(new Uint32Array(tiled.buffer)).toEqual(new Uint32Array(single.buffer));
});

it.each([
  ['relu', 1],
  ['tanh', 2],
  ['sigmoid', 3],
])('fuses %s into a linear layer of either size', async (activation) => {
  for (const [rows, features] of [
    [3, 5],
    [64, 64],
  ] as const) {
    const made = must(CASES.linear, 'linear')([rows, features, features], randomSource(3));
    const attrs = { activation };
    const types = {
      inputs: made.inputs.map((i) => i.type),
      outputs: [{ shape: [rows, features], dtype: 'f32' as const }],
      attrs,
    };
    const op = must(ALL_OPS.get('ops/linear'), 'linear');
    const inputs = made.inputs.map((i) => i.data);
    const expected = new Float32Array(rows * features);
    op.cpu({
      inputs,
      outputs: [expected],
      inputTypes: types.inputs,
      outputTypes: types.outputs,
      attrs,
      scratch: new CpuScratch(),
    });
    const actual = at(at(await must(runner, 'runner').run(op, types, [inputs]), 0), 0);
    expect(relativeError(actual, expected)).toBeLessThan(1e-5);
  }
});
