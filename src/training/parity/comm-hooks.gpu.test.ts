/**
 * Communication hooks on WebGPU do what they do on the CPU: float16 words to the bit's rounding, PowerSGD's products
 * and orthonormal columns, averages of parameters.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { runHook } from '../testing/run-hook';

let gpu: NodeGpu;
beforeAll(() => {
  gpu = nodeGpu({ warm: true });
});
afterAll(() => gpu.close());

type Hook = NonNullable<NonNullable<ConfigInput['ddp']>['commHook']>;
const HOOKS: readonly (readonly [Hook, ConfigInput['placement'], number])[] = [
  // Where CPU and GPU differ by the last bit next to a tie, a gradient differs by a part in 2000, or in 256.
  [{ type: 'fp16Compress' }, 'shared', 2e-5],
  [{ type: 'bf16Compress' }, 'workers', 5e-4],
  [{ type: 'powerSGD', matrixApproximationRank: 2, startPowerSGDIter: 2 }, 'shared', 5e-6],
  [
    { type: 'powerSGD', matrixApproximationRank: 3, startPowerSGDIter: 2, warmStart: false, minCompressionRate: 1 },
    'workers',
    5e-6,
  ],
  [{ type: 'localSGD', period: 2, startLocalSGDIter: 1 }, 'shared', 5e-6],
];

const TITLE = '%o (%s)';
const [shared, workers] = (['shared', 'workers'] as const).map((own) => HOOKS.filter(([, of]) => of === own));
test.each(shared ?? [])(TITLE, isThatOfTheCpu);
test.each(workers ?? [])(TITLE, place({ rest: 'ranks on one device have the same kernels' }), isThatOfTheCpu);

async function isThatOfTheCpu(...[commHook, placement, bar]: (typeof HOOKS)[number]): Promise<void> {
  const config: ConfigInput = { mode: 'ddp', worldSize: 3, placement, ddp: { commHook, bucketCapMb: 0.0005 } };
  const own = await runHook(config, 'webgpu', 5, gpu.gpu);
  const other = await runHook(config, 'cpu', 5);
  own.parameters.forEach((parameters, rank) => {
    for (const [name, values] of parameters) {
      const expected = at(other.parameters, rank).get(name) ?? new Float32Array(0);
      const apart = values.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? 9))), 0);
      expect(apart, `${name} of rank ${rank}`).toBeLessThan(bar);
    }
  });
}
