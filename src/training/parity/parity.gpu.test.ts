/**
 * Training runs on the WGSL kernels: shared on one GPUDevice, held against real PyTorch from the first step to the
 * last; and with one GPUDevice per rank, joined by ports, held to the bits of the shared run (parity.test.ts trains
 * both whole).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { PARITY_CASES } from '../testing/parity-cases';
import { once, runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

describe.each(PARITY_CASES)('$name', (parity) => {
  const shared = once(() => runParity(parity, node.gpu));

  test('meets its bars on WebGPU', async () => {
    const { measured } = await shared();
    expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
    expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
    expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.eval_loss_rel).toBeLessThanOrEqual(parity.bars.loss_rel_all);
    expect(measured.final_buffer_maxrel).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
    expect(measured.replicaDivergence).toBe(0);
  });

  test('one GPUDevice per rank: the bits of the shared run', async () => {
    expectSameBits((await shared()).held, await runInWorkers(parity, node.gpu));
  });
});
