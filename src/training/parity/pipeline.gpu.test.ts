/**
 * Pipelines on the WGSL kernels against torch.distributed.pipelining 2.13, on one GPUDevice, and with one GPUDevice per
 * rank, which gives the same bits. Schedules that run the same kernels in another order are represented by one of each
 * kind (pipeline.test.ts has all).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { once } from '../../base/once';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { pipelinePlace } from '../testing/parity-tier';
import { PIPELINE_CASES, PIPELINE_MESH_CASES } from '../testing/pipeline-cases';
import { runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const ON_GPU = /^tanh_mlp|^deep_tanh (GPipe|LoopedBFS|InterleavedZeroBubble|ZBV|DualPipeV), 2|^mlp784|^gpt 1F1B, 4/;
const cases = [...PIPELINE_CASES.filter(({ name }) => ON_GPU.test(name)), ...PIPELINE_MESH_CASES];

for (const parity of cases) {
  describe(parity.name, place(pipelinePlace(parity)), () => {
    const shared = once(() => runParity(parity, node.gpu));

    test('meets its bars on WebGPU', async () => {
      const { measured } = await shared();
      expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
      expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
      expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
      expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
      expect(measured.replicaDivergence).toBe(0);
    });

    test('one GPUDevice per rank: the bits of the shared run', async () => {
      expectSameBits((await shared()).held, await runInWorkers(parity, node.gpu));
    });
  });
}
