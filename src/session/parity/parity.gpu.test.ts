/** Training runs on the WGSL kernels against real PyTorch: shared on one GPUDevice, and a GPUDevice a rank joined by ports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { PARITY_CASES } from '../testing/parity-cases';
import { runParity } from '../testing/run-parity';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

describe.each(PARITY_CASES)('$name', (parity) => {
  test.each(['shared', 'workers'] as const)('meets its bars on WebGPU, %s', async (placement) => {
    const measured = await runParity(parity, 'webgpu', node.gpu, placement);
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.eval_loss_rel).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.final_buffer_maxrel).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.replicaDivergence).toBe(0);
  });
});
