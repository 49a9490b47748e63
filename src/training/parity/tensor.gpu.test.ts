/**
 * Tensor parallelism on the WGSL kernels against torch.distributed.tensor.parallel 2.13: all recorded runs, on one
 * GPUDevice, and with one GPUDevice per rank, which gives the same bits. Two stages x two shards x two tensor ranks are
 * in sharded.gpu.test.ts.
 */
import { expect, test } from 'vitest';
import { describeOnGpu } from '../testing/gpu-parity-suite';
import { TENSOR_CASES, TENSOR_MESH_CASES } from '../testing/tensor-cases';

const PAIR = /^mlp784, tp 2, 0 Colwise/;
const ON_CPU = 'the CPU device runs all recorded plans, and each kernel has its test';
const cases = [...TENSOR_CASES, ...TENSOR_MESH_CASES];

test('the intended cases exist', () => expect(cases).toHaveLength(11));

describeOnGpu(cases, {
  mode: 'tensor',
  restOf: ({ name }) => (PAIR.test(name) ? undefined : ON_CPU),
  workers: 'parity.gpu.test.ts has one GPUDevice per rank in other modes, and the CPU device these runs in workers',
});
