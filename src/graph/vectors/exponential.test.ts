/**
 * The activations of WebAssembly that take exponentials, over floats of all sizes: the bits of the plain loops. Those
 * of tanh and sigmoid take Math.exp and Math.tanh, so they are at most half a unit in the last place (ulp) from the
 * exact value; ../float-functions.test.ts has the bounds of the others.
 */
import { expect, it } from 'vitest';
import { must } from '../../base/invariant';
import { ALL_OPS } from '../testing/all-ops';
import { GRAPH_VECTORS, KERNELS, Vectors } from '.';
import { expectSameBits } from './testing/same-bits';

/** Every float whose bits are a multiple of this number, and its neighbour. */
const STEP = 99_991;

function floatsOfAllSizes(): Float32Array {
  const bits: number[] = [];
  for (let word = 0; word < 2 ** 32; word += STEP) bits.push(word, word + 1);
  return new Float32Array(Uint32Array.from(bits).buffer);
}

/** Where the formulas change: 5.6, 87, multiples of ln 2 in x^2 / 2, x and 2 x. */
function floatsAtBorders(): Float32Array {
  const borders = [5.6, 87, Math.sqrt(2 * 87)];
  for (let k = 0.5; k < 20; k += 0.5) borders.push(Math.sqrt(2 * k * Math.LN2), k * Math.LN2, (k * Math.LN2) / 2);
  const ulps = Array.from({ length: 65 }, (_, i) => (i - 32) * 2 ** -23);
  const near = borders.flatMap((border) => ulps.map((ulp) => border * (1 + ulp)));
  return Float32Array.from([...near, ...near.map((x) => -x)]);
}

const UNARY = ['gelu', 'silu', 'tanh', 'sigmoid'].flatMap((name) => [`ops/${name}`, `ops/${name}-grad`]);
const BY_TANH = { approximate: 'tanh' };

it.each([
  ...UNARY.map((name) => [name, {}] as const),
  ...['ops/gelu', 'ops/gelu-grad'].map((name) => [name, BY_TANH] as const),
])('%s %o', (name, attrs) => {
  const op = must(ALL_OPS.get(name), name);
  for (const x of [floatsOfAllSizes(), floatsAtBorders()]) {
    const type = { shape: [x.length], dtype: 'f32' as const };
    const data = name.endsWith('-grad') ? [new Float32Array(x.length).fill(1), x] : [x];
    expect(expectSameBits({ op, types: data.map(() => type), attrs, data }, GRAPH_VECTORS.get(name))).toBe(true);
  }
});

/** Of a float: how far it is from the next one. */
const ulpOf = (x: number): number => Math.max(2 ** (Math.floor(Math.log2(Math.abs(x))) - 23), 2 ** -149);

it('tanh is within 0.501 ulp of the exact value', () => {
  const vectors = must(Vectors.open(must(KERNELS, 'WebAssembly with vectors'), [2 ** 20]), 'memory');
  const x = floatsOfAllSizes().filter((value) => Math.abs(value) < 20 && value !== 0);
  const given = vectors.array('f32', x.length);
  const found = vectors.array('f32', x.length);
  given.set(x);
  vectors.kernels.tanh(given.byteOffset, found.byteOffset, x.length);
  // (e^2x - 1) / (e^2x + 1); the series below 2^-6, where that loses digits.
  const exact = (v: number) => (Math.abs(v) < 2 ** -6 ? seriesOfTanh(v) : Math.expm1(2 * v) / (Math.expm1(2 * v) + 2));
  const errors = Array.from(x, (value, i) => Math.abs((found[i] as number) - exact(value)) / ulpOf(exact(value)));
  expect(Math.max(...errors)).toBeLessThan(0.501);
});

const seriesOfTanh = (x: number): number => x * (1 - x ** 2 / 3 + (2 * x ** 4) / 15 - (17 * x ** 6) / 315);
