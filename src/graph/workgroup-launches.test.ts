/** Which launches hardware gets, where the choice saves reads: kernels that read once, and taller tiles. */
import { expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { ALL_OPS } from './testing/all-ops';
import { HARDWARE } from './testing/hardware-tuning';
import { lowerFor } from './workgroup-launches';

const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;

function launchesOf(name: string, inputs: readonly ReturnType<typeof f32>[], attrs: { readonly bias?: boolean } = {}) {
  const op = must(ALL_OPS.get(name), name);
  const types = { inputs, outputs: op.infer(inputs, attrs), attrs };
  return [HARDWARE, { ...HARDWARE, largeTiles: true }].map((tuning) => lowerFor(op, types, tuning));
}

test.each([28, 27])('the moments of a batch norm over planes of %i columns read x once', (columns) => {
  const [launches = []] = launchesOf('norm/batch-norm-stats', [f32(8, 4, 28, columns), f32(4), f32(4), f32(1)]);
  expect(at(launches, 0)).toMatchObject({ constants: { ONCE: 1 } });
});

test('the gradient of a weight has tall tiles if the gradient of the bias reads the same tensor once more', () => {
  const inputs = [f32(512, 64), f32(512, 256)];
  const tilesOf = (bias: boolean) =>
    launchesOf('ops/linear-grad-params', inputs, { bias }).map((launches) => {
      const { kernel, constants } = at(launches, 0);
      return [kernel, constants?.['TY']];
    });
  const small = ['workgroup/split-product', undefined];
  expect(tilesOf(false)).toEqual([small, ['workgroup/product', 8]]);
  expect(tilesOf(true)).toEqual([small, ['workgroup/product', 16]]);
});
