/** The optimisers that have kernels of WebAssembly: the bits of their plain kernels, in place. */
import { expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { randomSource } from '../graph/testing/case-tools';
import { expectSameBits } from '../graph/vectors/testing/same-bits';
import { OPTIM_OPS } from './op-table';
import { MAXIMIZE, SCALARS_LENGTH, SKIP, WEIGHT_DECAY } from './scalars-layout';
import { OPTIM_VECTORS } from './vector-ops';

const STATES: Readonly<Record<string, number>> = { 'optim/sgd': 0, 'optim/sgd-momentum': 1, 'optim/adam': 2 };
const LENGTHS = [1, 3, 4, 7, 64, 1001];

it.each([...OPTIM_VECTORS.keys()])('%s', (name) => {
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
        const all = Array.from({ length: states }, () => LENGTHS.map(positive)).flat();
        const types = [SCALARS_LENGTH, ...LENGTHS, ...LENGTHS, ...all.map(({ length }) => length)];
        const ran = expectSameBits(
          {
            op,
            types: types.map((length) => ({ shape: [length], dtype: 'f32' })),
            attrs: { count, amsgrad, decoupled: flag, nesterov: flag },
            data: [scalars, ...parameters, ...LENGTHS.map(values), ...all],
            inPlace: (output) => (output < count ? 1 + output : 1 + count + output),
          },
          OPTIM_VECTORS.get(name),
        );
        expect(ran).toBe(true);
      }
});
