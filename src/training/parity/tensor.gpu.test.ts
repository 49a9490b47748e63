/**
 * Tensor parallelism on the WGSL kernels, shared on one GPUDevice, against torch.distributed.tensor.parallel 2.13: all
 * recorded runs, and those that have other kernels (an MLP by columns and rows, uneven columns, a GPT with everything
 * that can be cut) with one GPUDevice per rank, too, held to the bits of the shared run. Two stages x two shards x two
 * tensor ranks are in sharded.gpu.test.ts.
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
const OTHER_KERNELS = /^mlp784, tp 2, 0 Colwise|^mlp784, tp 3|^gpt, tp 2, .*Sequence/;
const cases = [...TENSOR_CASES, ...TENSOR_MESH_CASES];

test('the intended cases exist', () =>
  expect([cases.length, cases.filter(({ name }) => OTHER_KERNELS.test(name)).length]).toEqual([11, 3]));

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

    if (!OTHER_KERNELS.test(parity.name)) return;
    test('one GPUDevice per rank: the bits of the shared run', place({ rest: WORKERS }), async () => {
      expectSameBits((await shared()).held, await runInWorkers(parity, node.gpu));
    });
  });
}
