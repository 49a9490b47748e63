/**
 * Sharded data parallelism on the WGSL kernels against PyTorch 2.13: all recorded runs of fully_shard and
 * ZeroRedundancyOptimizer, and nets in shards beside tp, around two stages, and both; on one GPUDevice, and with one
 * GPUDevice per rank, which gives the same bits.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { once, runParity } from '../testing/run-parity';
import { expectSameBits, runInWorkers } from '../testing/run-placements';
import { FSDP_CASES, ZERO1_CASES } from '../testing/sharded-cases';
import { SHARDED_MESH_CASES } from '../testing/sharded-mesh-cases';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const cases = [...FSDP_CASES, ...ZERO1_CASES, ...SHARDED_MESH_CASES];

test('the intended cases exist', () => expect(cases).toHaveLength(17));

/** Shards of padded rows, and shards around two stages. */
const IN_QUICK = /^mlp784, 3 ranks, reshard_after_forward=true|pp 2,dpShard 2$/;
const ON_CPU = 'the CPU device has this run in npm test, and two other runs have the same kernels';
const WORKERS = 'parity.gpu.test.ts has one GPUDevice per rank in other modes, and the CPU device this run in workers';

for (const parity of cases) {
  const rest = IN_QUICK.test(parity.name) ? undefined : ON_CPU;
  describe(parity.name, place({ modes: ['sharded'], rest }), () => {
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
