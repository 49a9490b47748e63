/**
 * Tensor and sequence parallelism on the CPU device against torch.distributed.tensor.parallel 2.13, in a mode for tests:
 * losses, first gradients and final parameters, which the ranks hold in parts.
 */
import { describe, expect, test } from 'vitest';
import { withTensorOps } from '../../parallel/testing/tensor/tensor-ops';
import { runParity } from '../testing/run-parity';
import { TENSOR_CASES } from '../testing/tensor-cases';

withTensorOps();

test('all recorded runs are there', () => expect(TENSOR_CASES).toHaveLength(9));

describe.each(TENSOR_CASES.map((parity) => [parity.name, parity] as const))('%s', (_, parity) => {
  test('meets its bars on the CPU', async () => {
    const { measured } = await runParity(parity);
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.replicaDivergence).toBe(0);
  });
});
