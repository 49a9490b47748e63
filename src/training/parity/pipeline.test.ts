/** Pipelines on the CPU device against torch.distributed.pipelining 2.13, in both placements. */
import { describe, expect, test } from 'vitest';
import { PIPELINE_CASES } from '../testing/pipeline-cases';
import { runParity } from '../testing/run-parity';

describe.each(PIPELINE_CASES)('$name', (parity) => {
  test.each(['shared', 'workers'] as const)('meets its bars on the CPU, %s', async (placement) => {
    const measured = await runParity(parity, 'cpu', undefined, placement);
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
  });
});
