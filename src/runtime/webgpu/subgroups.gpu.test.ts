/**
 * Kernels that add up rows give the same bits by subgroups as in workgroup memory; and the check of a device notices
 * invocations that are in other subgroups than expected.
 *
 * @module-tag rest: the kernels in workgroup memory alone have quick tests, in graph/hardware.gpu.test.ts.
 */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { must } from '../../base/invariant';
import { SUBGROUP_FUNCTIONS } from '../../graph/subgroup-shaders';
import { ALL_SHADERS } from '../../graph/testing/all-shaders';
import type { Sizes } from '../../graph/testing/case-tools';
import { CASES } from '../../graph/testing/cases';
import { HARDWARE } from '../../graph/testing/hardware-tuning';
import { LaunchRunner } from '../../graph/testing/run-launch';
import { worstErrorOn } from '../../graph/testing/worst-error';
import { bitsOf } from '../../tensor/bits';
import { subgroupKernels, withShuffles } from './subgroups';

const BY_SUBGROUPS = { ...HARDWARE, subgroups: true };
const SIZES: readonly Sizes[] = [
  [3, 5, 7],
  [37, 70, 33],
];

let runner: LaunchRunner;
let size = 0;

beforeAll(async () => {
  runner = (await LaunchRunner.open()).tuned(HARDWARE);
  size = must(runner.device.adapterInfo.subgroupMinSize, 'subgroups: SwiftShader has 4 lanes, lavapipe 8');
});

const addsRows = (kernel: string): boolean =>
  must(ALL_SHADERS[kernel as keyof typeof ALL_SHADERS], kernel).includes('lane_sum(');
const compared = new Set<string>();

describe.each(Object.entries(CASES))('%s', (_name, make) => {
  it('has the same bits', async () => {
    const shuffling = runner.withShaders(await withShuffles(ALL_SHADERS, size));
    const both = Object.assign(Object.create(runner) as LaunchRunner, {
      run: async (...given: Parameters<LaunchRunner['run']>) => {
        const [plain, shuffled] = [await runner.run(...given), await shuffling.run(...given)];
        expect(shuffled.flat().map(bitsOf)).toEqual(plain.flat().map(bitsOf));
        return plain;
      },
    });
    for (const sizes of SIZES)
      await worstErrorOn(both, make, sizes, {
        runs: (kernels) => {
          const own = kernels.filter(addsRows);
          for (const kernel of own) compared.add(kernel);
          return own.length > 0;
        },
      });
  });
});

/** Updates in place (training/hardware-kernels.gpu.test.ts), and wide rows (graph/ops/reduce/softmax.gpu.test.ts). */
const ELSEWHERE = ['workgroup/batch-norm-statistics', 'workgroup/softmax', 'workgroup/softmax-grad'];

test('every kernel that adds up rows was compared', () => {
  const all = Object.entries(ALL_SHADERS).flatMap(([kernel, text]) => (text.includes('lane_sum(') ? [kernel] : []));
  expect([...compared, ...ELSEWHERE].sort()).toEqual(all.sort());
});

test('there are as many functions with subgroups as sums that they replace', () => {
  expect(Object.keys(SUBGROUP_FUNCTIONS)).toHaveLength(1);
});

const given = () => ({ device: runner.device, compiled: {} });

test('the kernels of a device use subgroups if the tuning finds them faster', async () => {
  const kernels = await subgroupKernels(given(), ALL_SHADERS, BY_SUBGROUPS);
  expect(kernels.subgroups).toBe(size);
  expect(kernels.shaders['workgroup/mean']).toContain('subgroupShuffleXor');
  expect(await subgroupKernels(given(), ALL_SHADERS, HARDWARE)).toEqual({ shaders: ALL_SHADERS });
});

const MEAN = ALL_SHADERS['workgroup/mean'];

test.each([
  ['gives other bits', MEAN.replace('half >= step; half /= 2u', 'half >= 2u * step; half /= 2u')],
  ['does not compile', MEAN.replace('let total', 'lets total')],
])('the kernels stay in workgroup memory if a kernel by subgroups %s', async (_, mean) => {
  expect(mean).not.toBe(MEAN);
  const shaders = { ...ALL_SHADERS, 'workgroup/mean': mean };
  expect(await subgroupKernels(given(), shaders, BY_SUBGROUPS)).toEqual({ shaders });
});

test('a device without subgroups', async () => {
  const device = {
    ...given(),
    device: { features: new Set(), adapterInfo: runner.device.adapterInfo } as unknown as GPUDevice,
  };
  expect(await subgroupKernels(device, ALL_SHADERS, BY_SUBGROUPS)).toEqual({ shaders: ALL_SHADERS });
});
