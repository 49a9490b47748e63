/**
 * Every case of fixtures/ops.json on a real WebGPU device, from its inputs to its gradients, against what PyTorch 1.13
 * gave.
 *
 * @module-tag rest: ops.gpu.test.ts holds every kernel to the CPU, and ops.parity.test.ts the CPU to the same numbers
 * of PyTorch.
 */
import { beforeAll, expect, it } from 'vitest';
import { must } from '../base/invariant';
import { bar, distance } from './testing/closeness';
import { runGpu } from './testing/run-gpu';
import { LaunchRunner } from './testing/run-launch';
import { TORCH_CASES, torchCaseGraph } from './testing/torch-cases';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

it.each(TORCH_CASES)('%s', async (_, stored) => {
  const { graph, given, expected } = torchCaseGraph(stored);
  const values = await runGpu(graph, must(runner, 'runner'), given);
  for (const { what, value, data } of expected)
    expect(distance(must(values.get(value), what), data), what).toBeLessThanOrEqual(bar(data));
});
