/**
 * The float32 functions of gelu, silu and attention over half a million floats of all sizes: how far each is from the
 * exact value, and its ends. vectors/exponential.test.ts compares the bits of the WebAssembly.
 */
import { expect, it } from 'vitest';
import { expOfNegative, normalCdf, sigmoid } from './float-functions';
import { erfSeries } from './testing/reference-tools';

/** Every float below `size` whose bits are a multiple of `step`, and its negative. */
function floatsBelow(size: number, step: number): number[] {
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  float[0] = size;
  const end = bits[0] as number;
  const found: number[] = [];
  for (let word = 0; word < end; word += step) {
    bits[0] = word;
    found.push(float[0] as number, -(float[0] as number));
  }
  return found;
}

/** The distance of a float from the next one. */
const ulpOf = (x: number): number => Math.max(2 ** (Math.floor(Math.log2(Math.abs(x))) - 23), 2 ** -149);

const largest = (values: readonly number[], error: (x: number) => number): number =>
  values.reduce((most, x) => Math.max(most, error(x)), 0);

it('e^x is within 1 ulp, and 0 at the end', () => {
  const x = floatsBelow(87, 5003).filter((value) => value <= 0);
  expect(largest(x, (v) => Math.abs(expOfNegative(v) - Math.exp(v)) / ulpOf(Math.exp(v)))).toBeLessThan(1);
  expect([0, -0, -87.1, -1e30, Number.NEGATIVE_INFINITY, Number.NaN].map(expOfNegative)).toEqual([
    ...[1, 1, 0, 0, 0, Number.NaN],
  ]);
});

it('the sigmoid is within 2.5 ulp, and exact at its ends', () => {
  const exact = (v: number): number => 1 / (1 + Math.exp(-v));
  const x = floatsBelow(80, 5003);
  expect(largest(x, (v) => Math.abs(sigmoid(v) - exact(v)) / ulpOf(exact(v)))).toBeLessThan(2.5);
  expect([0, -0, 90, -90, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN].map(sigmoid)).toEqual([
    ...[0.5, 0.5, 1, 0, 1, 0, Number.NaN],
  ]);
});

it('the distribution function of the normal distribution is within 2^-22, between 0 and 1, and exact at its ends', () => {
  const x = floatsBelow(8, 20_011);
  const exact = (v: number): number => (1 + erfSeries(v / Math.SQRT2)) / 2;
  expect(largest(x, (v) => Math.abs(normalCdf(v) - exact(v)))).toBeLessThan(2 ** -22);
  expect(x.every((v) => normalCdf(v) >= 0 && normalCdf(v) <= 1)).toBe(true);
  expect(
    [0, -0, 5.6, -5.6, 1e30, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN].map(normalCdf),
  ).toEqual([0.5, 0.5, 1, 0, 1, 1, 0, Number.NaN]);
});
