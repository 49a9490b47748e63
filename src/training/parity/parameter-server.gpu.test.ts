/**
 * The parameter server on WebGPU trains as on the CPU: several updates a step with scalars of their own, copies that
 * wait on the workers.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { runHook } from '../testing/run-hook';

let gpu: NodeGpu;
beforeAll(() => {
  gpu = nodeGpu({ warm: true });
});
afterAll(() => gpu.close());

test.each<[ConfigInput['placement'], ConfigInput]>([
  ['shared', { optimizer: { type: 'Adam', lr: 0.01 }, parameterServer: { synchronous: false, staleness: 3 } }],
  ['workers', { parameterServer: { synchronous: true } }],
])('%s, %o', async (placement, settings) => {
  const config: ConfigInput = { ...settings, mode: 'parameterServer', worldSize: 3, placement };
  const own = await runHook(config, 'webgpu', 4, gpu.gpu);
  const other = await runHook(config, 'cpu', 4);
  for (const [name, values] of at(own.parameters, 0)) {
    const expected = at(other.parameters, 0).get(name) ?? new Float32Array(0);
    const apart = values.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? 9))), 0);
    expect(apart, name).toBeLessThan(1e-5);
  }
});
