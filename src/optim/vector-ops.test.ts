/** The optimisers that have kernels of WebAssembly: the bits of their plain kernels, in place. */
import { describe, expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { randomSource } from '../graph/testing/case-tools';
import { SPECIAL_VALUES } from '../graph/vectors/testing/cases';
import { expectSameBits } from '../graph/vectors/testing/same-bits';
import { LATE_OPTIM_OPS } from './late-ops';
import { OPTIM_OPS } from './op-table';
import { MAXIMIZE, SCALARS_LENGTH, SKIP, WEIGHT_DECAY } from './scalars-layout';
import { OPTIM_VECTORS } from './vector-ops';

const STATES: Readonly<Record<string, number>> = { 'optim/sgd': 0, 'optim/sgd-momentum': 1, 'optim/adam': 2 };
const LENGTHS = [1, 3, 4, 7, 64, 1001];

it.each(Object.keys(STATES))('%s', (name) => {
  const op = must(OPTIM_OPS.get(name), name);
  const random = randomSource(7);
  const values = (length: number) => Float32Array.from({ length }, () => random() * 2 - 1);
  const positive = (length: number) => Float32Array.from({ length }, () => random() * 2);
  for (const amsgrad of name === 'optim/adam' ? [false, true] : [false])
    for (const flag of [false, true])
      for (const special of ['none', 'maximize', 'skip', 'no weight decay']) {
        const states = must(STATES[name], name) + (amsgrad ? 1 : 0);
        const scalars = positive(SCALARS_LENGTH);
        scalars[MAXIMIZE] = special === 'maximize' ? 1 : 0;
        scalars[SKIP] = special === 'skip' ? 1 : 0;
        if (special === 'no weight decay') scalars[WEIGHT_DECAY] = 0;
        const count = LENGTHS.length;
        const parameters = LENGTHS.map(values);
        at(parameters, 4)[5] = Number.NaN;
        const gradients = LENGTHS.map(values);
        SPECIAL_VALUES.forEach((value, i) => {
          at(parameters, 5)[8 * i] = value;
          at(gradients, 5)[8 * i + 1] = value;
        });
        const all = Array.from({ length: states }, () => LENGTHS.map(positive)).flat();
        const types = [SCALARS_LENGTH, ...LENGTHS, ...LENGTHS, ...all.map(({ length }) => length)];
        const ran = expectSameBits(
          {
            op,
            types: types.map((length) => ({ shape: [length], dtype: 'f32' })),
            attrs: { count, amsgrad, decoupled: flag, nesterov: flag },
            data: [scalars, ...parameters, ...gradients, ...all],
            inPlace: (output) => (output < count ? 1 + output : 1 + count + output),
          },
          OPTIM_VECTORS.get(name),
        );
        expect(ran).toBe(true);
      }
});

const f32 = (length: number) => ({ shape: [length], dtype: 'f32' as const });

describe('clipping by the norm', () => {
  const specials = [undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e-42, 3e38];
  const gradientsWith = (special: number | undefined) => {
    const random = randomSource(11);
    const gradients = LENGTHS.map((length) => Float32Array.from({ length }, () => random() * 2 - 1));
    if (special !== undefined) at(gradients, 4)[63] = special;
    return gradients;
  };

  it.each(specials)('has the same norm of gradients with %s', (special) => {
    const op = must(LATE_OPTIM_OPS.get('optim/grad-norm'), 'grad-norm');
    const run = (normType: number) =>
      expectSameBits(
        { op, types: LENGTHS.map(f32), attrs: { normType }, data: gradientsWith(special), sameOutputs: 1 },
        OPTIM_VECTORS.get(op.name),
      );
    expect(run(2)).toBe(true);
    expect(run(3)).toBe(false);
  });

  it.each([0.1, 5, Number.NaN, Number.POSITIVE_INFINITY])('scales by a norm of %s', (norm) => {
    const op = must(LATE_OPTIM_OPS.get('optim/clip-grad-norm'), 'clip-grad-norm');
    const data = [Float32Array.of(norm), ...gradientsWith(undefined)];
    const run = { op, types: [1, ...LENGTHS].map(f32), attrs: { maxNorm: 1 }, data, inPlace: (k: number) => 1 + k };
    expect(expectSameBits(run, OPTIM_VECTORS.get(op.name))).toBe(true);
  });
});

it('tests every row', () => {
  expect([...OPTIM_VECTORS.keys()]).toEqual([...Object.keys(STATES), 'optim/grad-norm', 'optim/clip-grad-norm']);
});
