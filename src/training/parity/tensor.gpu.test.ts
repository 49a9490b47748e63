/**
 * Tensor parallelism on the WGSL kernels against torch.distributed.tensor.parallel 2.13: all recorded runs, on one
 * GPUDevice, and with one GPUDevice per rank, which gives the same bits. Two stages x two shards x two tensor ranks are
 * in sharded.gpu.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { once, runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';
import { TENSOR_CASES, TENSOR_MESH_CASES } from '../testing/tensor-cases';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const WORKERS =
  'parity.gpu.test.ts has one GPUDevice per rank in other modes, and the CPU device these runs in workers';
const PAIR = /^mlp784, tp 2, 0 Colwise/;
const cases = [...TENSOR_CASES, ...TENSOR_MESH_CASES];

test('the intended cases exist', () => expect(cases).toHaveLength(11));

for (const parity of cases) {
  const rest = PAIR.test(parity.name)
    ? undefined
    : 'the CPU device runs all recorded plans, and each kernel has its test';
  describe(parity.name, place({ modes: ['tensor'], rest }), () => {
    const shared = once(() => runParity(parity, node.gpu));

    test('meets its bars on WebGPU', async () => {
      const { measured } = await shared();
      expect(measured.loss_rel_first10).toBeLessThanOrEqual(parity.bars.loss_rel_first10);
      expect(measured.loss_rel_all).toBeLessThanOrEqual(parity.bars.loss_rel_all);
      expect(measured.first_grad_maxrel).toBeLessThanOrEqual(parity.bars.first_grad_maxrel);
      expect(measured.final_param_maxabs).toBeLessThanOrEqual(parity.bars.final_param_maxabs);
      expect(measured.replicaDivergence).toBe(0);
    });

    test('one GPUDevice per rank: the bits of the shared run', place({ rest: WORKERS }), async () => {
      expectSameBits((await shared()).held, await runInWorkers(parity, node.gpu));
    });
  });
}
