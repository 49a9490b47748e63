/**
 * The kernels that hardware gets instead of those of software adapters, on whatever adapter there is, against the CPU:
 * every operator that takes one, forward and backward, at sizes on and off the grid of their workgroups.
 *
 * @module-tag rest: the software adapter of the tests gets other kernels, which ops.gpu.test.ts has;
 * attention.gpu.test.ts and norm.gpu.test.ts have kernels of hardware.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { must } from '../base/invariant';
import { KERNELS } from './kernel-table';
import type { Sizes } from './testing/case-tools';
import { CASES } from './testing/cases';
import { HARDWARE } from './testing/hardware-tuning';
import { LaunchRunner } from './testing/run-launch';
import { worstErrorOn } from './testing/worst-error';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = (await LaunchRunner.open()).tuned(HARDWARE);
});

const isOfHardware = (kernel: string): boolean => kernel.startsWith('workgroup/');
const seen = new Set<string>();
const runs = (kernels: readonly string[]): boolean => {
  const own = kernels.filter(isOfHardware);
  for (const kernel of own) seen.add(kernel);
  return own.length > 0;
};

const SIZES: readonly Sizes[] = [
  [3, 5, 7],
  [64, 32, 16],
  [37, 70, 33],
  [40, 12, 128],
];

describe.each(Object.entries(CASES))('%s', (_name, make) => {
  it('agrees with the CPU', async () => {
    for (const sizes of SIZES) {
      const { error, node } = await worstErrorOn(must(runner, 'runner'), make, sizes, {
        instances: 2,
        runs,
      });
      expect(error, `${node} at ${sizes.join('x')}`).toBeLessThan(1e-5);
    }
  });
});

/**
 * Products and rows too large for here (tiled-product.gpu.test.ts, ops/reduce/softmax.gpu.test.ts), and what updates in
 * place (ops/norm/norm.gpu.test.ts).
 */
const ELSEWHERE = [
  'workgroup/product',
  'workgroup/batch-norm-statistics',
  'workgroup/softmax',
  'workgroup/softmax-grad',
];

it('every one of these kernels ran', () => {
  expect([...seen, ...ELSEWHERE].sort()).toEqual(Object.keys(KERNELS).filter(isOfHardware));
});
