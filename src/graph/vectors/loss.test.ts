/** Cross-entropy by WebAssembly has the bits of its plain loops: any rows and classes, reductions, special values. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { elements } from '../../tensor/shape';
import { CpuScratch } from '../cpu-scratch';
import type { TensorType } from '../op';
import { CROSS_ENTROPY } from '../ops/loss/class-losses';
import { randomSource } from '../testing/case-tools';
import { GRAPH_VECTORS, KERNELS, Vectors } from '.';
import { SPECIAL_VALUES } from './testing/cases';
import { expectSameBits } from './testing/same-bits';

const [LOSS, GRADIENT] = CROSS_ENTROPY;
const cases = fc.record({
  rows: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 100, max: 300 })),
  classes: fc.integer({ min: 1, max: 40 }),
  reduction: fc.constantFrom('mean', 'sum', 'none'),
  seed: fc.nat(),
  scale: fc.constantFrom(1, 30, 400),
  special: fc.constantFrom(undefined, ...SPECIAL_VALUES),
});
const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' as const });

it('has the same bits, forward and backward', () => {
  void fc.assert(
    fc.property(cases, ({ rows, classes, reduction, seed, scale, special }) => {
      const random = randomSource(seed);
      const values = (length: number, size: number) => Float32Array.from({ length }, () => (random() * 2 - 1) * size);
      const x = values(rows * classes, scale);
      if (special !== undefined) for (let n = 0; n < 3; n++) x[Math.floor(random() * x.length)] = special;
      // Every seventh label is the one that is ignored.
      const target = Int32Array.from({ length: rows }, (_, r) => (r % 7 === 3 ? -100 : Math.floor(random() * classes)));
      const types = [f32(rows, classes), { shape: [rows], dtype: 'i32' as const }];
      const attrs = { reduction };
      expect(expectSameBits({ op: LOSS, types, attrs, data: [x, target] }, GRAPH_VECTORS.get(LOSS.name))).toBe(true);
      const stats = statsOf(x, target, rows, classes);
      const upstream = reduction === 'none' ? values(rows, 2) : values(1, 2);
      if (special !== undefined && seed % 3 === 0) upstream[0] = special;
      const all = [...types, f32(upstream.length), f32(stats.length)];
      const data = [x, target, upstream, stats];
      expect(expectSameBits({ op: GRADIENT, types: all, attrs, data }, GRAPH_VECTORS.get(GRADIENT.name))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

/** What the forward pass keeps. */
function statsOf(x: Float32Array, target: Int32Array, rows: number, classes: number): Float32Array {
  const stats = new Float32Array(3 * rows + 1).fill(3);
  for (let r = 0; r < rows; r++) {
    const row = x.subarray(r * classes, (r + 1) * classes);
    const most = Math.max(...row);
    stats[r] = most;
    stats[rows + r] = Math.log(row.reduce((sum, value) => sum + Math.exp(value - most), 0));
    stats[2 * rows + r] = at(target, r) === -100 ? 0 : 1;
  }
  return stats;
}

it('leaves unsupported cases to the plain loops, and refuses a label that is not a class', () => {
  const [x, target] = [new Float32Array(2000), new Int32Array(200).fill(4)];
  const types = [f32(200, 10), { shape: [200], dtype: 'i32' as const }];
  const row = GRAPH_VECTORS.get(LOSS.name);
  const run = (attrs: { labelSmoothing?: number }) =>
    expectSameBits({ op: LOSS, types, attrs, data: [x, target] }, row);
  expect(run({ labelSmoothing: 0.1 })).toBe(false);
  expect(run({})).toBe(true);
  target[77] = 10;
  const vectors = must(Vectors.open(must(KERNELS, 'WebAssembly with vectors'), [65_536]), 'memory');
  const place = ({ shape, dtype }: TensorType) => vectors.array(dtype, elements(shape));
  const [inputs, outputTypes] = [types.map(place), LOSS.infer(types, {})];
  at(inputs, 1).set(target);
  const outputs = outputTypes.map(place);
  const scratch = new CpuScratch(vectors);
  const args = { inputs, outputs, inputTypes: types, outputTypes, attrs: {}, scratch };
  expect(must(row, 'the row')(args, vectors)).toThrow('Target 10 is out of bounds.');
});
