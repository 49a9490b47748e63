/**
 * The exponential and the error function of WebAssembly, by way of gelu, over floats of all sizes: the bits of the
 * plain loops, which take Math.exp.
 */
import { expect, it } from 'vitest';
import { must } from '../../base/invariant';
import { ALL_OPS } from '../testing/all-ops';
import { GRAPH_VECTORS } from '.';
import { expectSameBits } from './testing/same-bits';

/** Every float whose bits are a multiple of this number, and its neighbour. */
const STEP = 99_991;

function floatsOfAllSizes(): Float32Array {
  const bits: number[] = [];
  for (let word = 0; word < 2 ** 32; word += STEP) bits.push(word, word + 1);
  return new Float32Array(Uint32Array.from(bits).buffer);
}

/** Where the formulas change: |x| / sqrt 2 of 1 and 6, the multiples of ln 2 in x^2 / 2. */
function floatsAtBorders(): Float32Array {
  const borders = [1, 6].map((border) => border * Math.SQRT2);
  for (let k = 0.5; k < 20; k += 0.5) borders.push(Math.sqrt(2 * k * Math.LN2));
  const ulps = Array.from({ length: 65 }, (_, i) => (i - 32) * 2 ** -23);
  const near = borders.flatMap((border) => ulps.map((ulp) => border * (1 + ulp)));
  return Float32Array.from([...near, ...near.map((x) => -x)]);
}

it.each(['ops/gelu', 'ops/gelu-grad'])('%s', (name) => {
  const op = must(ALL_OPS.get(name), name);
  for (const x of [floatsOfAllSizes(), floatsAtBorders()]) {
    const type = { shape: [x.length], dtype: 'f32' as const };
    const data = name === 'ops/gelu' ? [x] : [new Float32Array(x.length).fill(1), x];
    expect(expectSameBits({ op, types: data.map(() => type), attrs: {}, data }, GRAPH_VECTORS.get(name))).toBe(true);
  }
});
