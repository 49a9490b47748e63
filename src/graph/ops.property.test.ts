/**
 * Every operator over odd shapes on the CPU: forward against a float64 formula, backward against differences of that
 * formula, element by element, and for large inputs along a random direction, too.
 *
 * @module-tag rest: ops.parity.test.ts holds every operator to what PyTorch computed for one shape or more.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { elements } from '../tensor/shape';
import type { ValueId } from './op';
import { ALL_OPS } from './testing/all-ops';
import { type OpCase, randomSource, type Sizes } from './testing/case-tools';
import { CASES } from './testing/cases';
import { differentiate } from './testing/differentiate';
import { REFERENCE } from './testing/reference';
import type { Doubles } from './testing/reference-tools';
import { runCpu } from './testing/run-cpu';

const size = fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 11);
const sizes = fc.tuple(size, size, size);

function compare(made: OpCase, random: () => number): void {
  const d = differentiate(ALL_OPS, made.op, made.attrs, made.inputs);
  const outShape = at(d.graph.values, d.output).type.shape;
  const upstream = Float32Array.from({ length: elements(outShape) }, () => random() * 2 - 1);
  const given = new Map(made.inputs.map((input, i): [ValueId, typeof input.data] => [at(d.inputs, i), input.data]));
  given.set(d.upstream, upstream);
  const values = runCpu(d.graph, ALL_OPS, given);

  const formula = must(REFERENCE[made.op], made.op);
  const doubles = made.inputs.map((input): Doubles => ({ shape: input.type.shape, data: [...input.data] }));
  const expected = formula(doubles, made.attrs);
  // Sums may cancel: a float32 sum is as good as the size of what was summed allows.
  const summed = doubles.reduce((sum, t) => sum + t.data.reduce((a, v) => a + Math.abs(v), 0), 0);
  const out = must(values.get(d.output), 'out');
  const scale = Math.max(...expected.map(Math.abs), summed / 20);
  expect(Math.max(...expected.map((v, i) => Math.abs(v - at(out, i)))) / scale).toBeLessThan(5e-6);

  made.inputs.forEach((input, which) => {
    if (!input.wrt) return;
    const gradient = must(values.get(must(d.gradients[which], 'gradient id')), 'gradient');
    /** How the weighted outputs change as the input moves along a direction. */
    const sharesAlong = (direction: (i: number) => number): number[] => {
      const moved = (h: number) =>
        formula(
          doubles.map((t, k) => (k === which ? { ...t, data: t.data.map((v, i) => v + h * direction(i)) } : t)),
          made.attrs,
        );
      const [above, below] = [moved(STEP), moved(-STEP)];
      return above.map((v, o) => ((v - at(below, o)) / (2 * STEP)) * at(upstream, o));
    };
    const tested = pick(input.data.length, random);
    /** What each element of the output adds to the gradient of each element. */
    const shares = tested.map((i) => sharesAlong((k) => (k === i ? 1 : 0)));
    // Here, too, shares may cancel: the gradient is as good as their size allows.
    const largest = Math.max(...shares.map(sizeOf), ...upstream.map(Math.abs), 1e-3);
    const worst = Math.max(0, ...tested.map((i, n) => Math.abs(total(at(shares, n)) - at(gradient, i))));
    expect(worst / largest, `gradient of input ${which}`).toBeLessThan(2e-6);
    if (tested.length === input.data.length) return;
    // The elements that were not drawn, all at once.
    const signs = Array.from(input.data, () => (random() < 0.5 ? -1 : 1));
    const along = total(sharesAlong((i) => at(signs, i)));
    const expectedAlong = total(Array.from(gradient, (g, i) => g * at(signs, i)));
    const bound = Math.max(sizeOf([...gradient]), largest);
    expect(Math.abs(along - expectedAlong) / bound, `gradient of input ${which}, as a whole`).toBeLessThan(2e-6);
  });
}

/** Step of the central differences. */
const STEP = 1e-5;
/**
 * So many elements of an input are differenced one by one, each at the price of two whole forward passes; a larger
 * input is also differenced as a whole, where one wrong element shows as well: the bound is some millionths of the sum
 * of all.
 */
const ONE_BY_ONE = 10;

const total = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0);
const sizeOf = (values: readonly number[]): number => values.reduce((sum, v) => sum + Math.abs(v), 0);

/** All indices, or ONE_BY_ONE different ones drawn at random. */
function pick(length: number, random: () => number): number[] {
  const indices = Array.from({ length }, (_, i) => i);
  if (length <= ONE_BY_ONE) return indices;
  for (let i = 0; i < ONE_BY_ONE; i++) {
    const j = i + Math.floor(random() * (length - i));
    [indices[i], indices[j]] = [at(indices, j), at(indices, i)];
  }
  return indices.slice(0, ONE_BY_ONE);
}

describe.each(Object.entries(CASES))('%s', (_, make) => {
  it('agrees with float64, forward and backward, for any shape', () => {
    void fc.assert(
      fc.property(sizes, fc.nat(), (s: Sizes, seed) => {
        const random = randomSource(seed);
        compare(make(s, random), random);
      }),
      { numRuns: 25 },
    );
  });
});
