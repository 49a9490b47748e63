/** What collectives compute has the bits of its plain form: odd lengths, any alignment, special values, threads. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { CpuScratch } from '../graph/cpu-scratch';
import { randomSource } from '../graph/testing/case-tools';
import { KERNELS, Vectors } from '../graph/vectors';
import { SPECIAL_VALUES } from '../graph/vectors/testing/cases';
import { expectSameBits } from '../graph/vectors/testing/same-bits';
import { foldAction } from '../runtime/cpu/cpu-actions';
import { COMM_OPS } from './bucket-ops';
import { COMM_VECTORS } from './vector-ops';

const lengths = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 });
const special = fc.constantFrom(undefined, ...SPECIAL_VALUES);
const scale = fc.constantFrom(1, 0.25, 1 / 3, -2, 1e-30);
const f32 = (length: number) => ({ shape: [length], dtype: 'f32' as const });

function values(length: number, seed: number, odd: number | undefined): Float32Array {
  const random = randomSource(seed);
  const made = Float32Array.from({ length }, () => random() * 2 - 1);
  if (odd !== undefined) made[seed % length] = odd;
  return made;
}

it('packs gradients', () => {
  const op = must(COMM_OPS.get('ddp/pack'), 'pack');
  void fc.assert(
    fc.property(lengths, fc.nat(), special, scale, (sizes, seed, odd, factor) => {
      const data = sizes.map((length, k) => values(length, seed + k, odd));
      const run = { op, types: sizes.map(f32), attrs: { scale: factor }, data };
      expect(expectSameBits(run, COMM_VECTORS.get(op.name))).toBe(true);
    }),
  );
});

it('scales a stretch', () => {
  const op = must(COMM_OPS.get('comm/scale'), 'scale');
  void fc.assert(
    fc.property(fc.nat(9), fc.integer({ min: 1, max: 70 }), fc.nat(), special, scale, (from, length, seed, odd, s) => {
      const data = [values(from + length + 3, seed, odd)];
      const attrs = { from, length, scale: s };
      const run = { op, types: [f32(from + length + 3)], attrs, data, inPlace: () => 0 };
      expect(expectSameBits(run, COMM_VECTORS.get(op.name))).toBe(true);
    }),
  );
});

/** All ranks' stretches, which begin anywhere; targets are the terms and one more. */
function sums(
  vectors: Vectors | undefined,
  given: readonly Float32Array[],
  offset: number,
  factors: readonly number[],
) {
  const length = at(given, 0).length;
  const memories = [...given, new Float32Array(length)].map((data) => {
    const memory = vectors ? vectors.array('f32', length + offset) : new Float32Array(length + offset);
    memory.set(data, offset);
    return memory;
  });
  const place = (_: unknown, device: number) => ({ device, buffer: 'bucket', offset });
  const [factor = 1, after = 1] = factors;
  const fold = { length, terms: given.map(place), targets: memories.map(place), scale: factor, after };
  const opened = vectors && { ops: COMM_VECTORS, vectors };
  const means = { ops: COMM_OPS, scratch: new CpuScratch(), opened };
  foldAction(fold as unknown as Parameters<typeof foldAction>[0], ({ device }) => at(memories, device), means)();
  return memories.map((memory) => memory.slice(offset));
}

it('sums over ranks, also where a sum takes several blocks', () => {
  const module = must(KERNELS, 'WebAssembly with vectors');
  const sizes = fc.oneof(fc.integer({ min: 250, max: 300 }), fc.integer({ min: 2040, max: 6200 }));
  const ranks = fc.integer({ min: 1, max: 5 });
  const cases = fc.record({
    n: sizes,
    ranks,
    offset: fc.nat(3),
    seed: fc.nat(),
    odd: special,
    s: fc.tuple(scale, scale),
  });
  void fc.assert(
    fc.property(cases, ({ n, ranks: count, offset, seed, odd, s }) => {
      const vectors = must(Vectors.open(module, [64 * 6 + 4 * (n + 3) * 6]), 'memory');
      const factors = s.map(Math.fround);
      const given = Array.from({ length: count }, (_, k) => values(n, seed + k, odd));
      expect(sums(vectors, given, offset, factors)).toEqual(sums(undefined, given, offset, factors));
    }),
    { numRuns: 60 },
  );
});

it('leaves short sums, and sums scaled by a number that is not a float32, to the plain loop', () => {
  const vectors = must(Vectors.open(must(KERNELS, 'WebAssembly with vectors'), [65_536]), 'memory');
  const row = must(COMM_VECTORS.get('comm/fold'), 'the row');
  const action = (length: number, factor: number) => {
    const [x, y] = [vectors.array('f32', length), vectors.array('f32', length)];
    const types = { inputTypes: [f32(length)], outputTypes: [f32(length)] };
    const attrs = { scale: factor, after: 1 };
    return row({ inputs: [x], outputs: [y], ...types, attrs, scratch: new CpuScratch() }, vectors);
  };
  expect(action(100, 1)).toBeUndefined();
  expect(action(1000, 0.1)).toBeUndefined();
  expect(action(1000, 0.25)).toBeTypeOf('function');
});
