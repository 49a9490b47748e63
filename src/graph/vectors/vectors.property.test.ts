/**
 * Every operator that has kernels of WebAssembly, over odd shapes and special values, forward and backward: the bits of
 * its plain kernel.
 *
 * @module-tag rest: parity.test.ts trains a CNN and a GPT on these kernels, held to PyTorch; vector-ops.test.ts and
 * gemm.test.ts hold the bits of others.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { elements, type HostArray } from '../../tensor/shape';
import { ALL_OPS } from '../testing/all-ops';
import { type OpCase, randomSource, type Sizes } from '../testing/case-tools';
import { GRAPH_VECTORS } from '.';
import { expectSameBitsOfCase, SPECIAL_VALUES, VECTOR_CASES } from './testing/cases';
import { expectSameBits } from './testing/same-bits';

const ran = new Set<string>();

function compare(made: OpCase, random: () => number, spoil?: (data: HostArray) => void): void {
  for (const op of expectSameBitsOfCase(made, random, spoil)) ran.add(op);
}

/** Puts the value into one to three elements. */
const spoilWith = (special: number, random: () => number) => (data: HostArray) => {
  for (let n = 1 + Math.floor(random() * 3); n > 0; n--) data[Math.floor(random() * data.length)] = special;
};

const size = fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 9, 13, 16);
const sizes = fc.tuple(size, size, size);

describe.each(VECTOR_CASES)('%s', (_, make) => {
  it('has the same bits for any shape', () => {
    void fc.assert(
      fc.property(sizes, fc.nat(), (s: Sizes, seed) => {
        const random = randomSource(seed);
        compare(make(s, random), random);
      }),
      { numRuns: 20 },
    );
  });

  it('has the same bits, and the same NaNs, of special values', () => {
    void fc.assert(
      fc.property(sizes, fc.nat(), fc.constantFrom(...SPECIAL_VALUES), (s: Sizes, seed, special) => {
        const random = randomSource(seed);
        compare(make(s, random), random, spoilWith(special, random));
      }),
      { numRuns: 20 },
    );
  });
});

describe.each(VECTOR_CASES.filter(([name]) => name.includes('attention')))('%s', (_, make) => {
  it('has the same bits for many blocks of queries, keys and elements', () => {
    const length = fc.integer({ min: 1, max: 40 });
    const special = fc.constantFrom(undefined, ...SPECIAL_VALUES);
    void fc.assert(
      fc.property(fc.tuple(length, length, length), fc.nat(), special, (s: Sizes, seed, odd) => {
        const random = randomSource(seed);
        compare(make(s, random), random, odd === undefined ? undefined : spoilWith(odd, random));
      }),
      { numRuns: 20 },
    );
  });
});

it('has the same bits where a product takes several blocks', () => {
  const random = randomSource(3);
  const data = (length: number) => Float32Array.from({ length }, () => random() * 2 - 1);
  const op = must(ALL_OPS.get('ops/matmul'), 'ops/matmul');
  for (const [m, n, k] of [
    [5, 1030, 3],
    [9, 530, 520],
    [13, 17, 701],
  ] as const)
    for (const transposeA of [false, true])
      for (const transposeB of [false, true]) {
        const shapes = [transposeA ? [k, m] : [m, k], transposeB ? [n, k] : [k, n]];
        const types = shapes.map((shape) => ({ shape, dtype: 'f32' as const }));
        expectSameBits({ op, types, attrs: { transposeA, transposeB }, data: [data(m * k), data(k * n)] });
      }
});

it('has the same bits in the statistics of batch norm', () => {
  const random = randomSource(4);
  const op = must(ALL_OPS.get('norm/batch-norm-stats'), 'the statistics');
  for (const shape of [
    [3, 2, 5, 7],
    [65, 3, 14, 14],
    [4, 5],
    [1000, 2],
  ]) {
    const channels = at(shape, 1);
    const values = (length: number) => Float32Array.from({ length }, () => random() * 4 - 2);
    const perChannel = { shape: [channels], dtype: 'f32' as const };
    for (const attrs of [{ eps: 1e-5 }, { eps: 1e-3, momentum: 0.3 }, { eps: 1e-5, cumulative: true }]) {
      const run = {
        ...{ op, attrs },
        types: [{ shape, dtype: 'f32' as const }, perChannel, perChannel, { shape: [1], dtype: 'i32' as const }],
        data: [values(elements(shape)), values(channels), values(channels), Int32Array.of(3)],
        inPlace: (output: number) => (output >= 2 && output <= 4 ? output - 1 : undefined),
      };
      if (expectSameBits(run, GRAPH_VECTORS.get(op.name))) ran.add(op.name);
    }
  }
});

it('is tested for every operator of the table', () => {
  expect([...GRAPH_VECTORS.keys()].filter((name) => !ran.has(name))).toEqual([]);
});
