/**
 * Sharded data parallelism on the WGSL kernels against PyTorch 2.13: all recorded runs of fully_shard and
 * ZeroRedundancyOptimizer, and nets in shards beside tp, around two stages, and both; on one GPUDevice, and with one
 * GPUDevice per rank, which gives the same bits.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import type { ConfigInput } from '../../protocol/config';
import { nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { NET, withTraining } from '../testing/checkpoint-runs';
import { describeOnGpu } from '../testing/gpu-parity-suite';
import { FSDP_CASES, ZERO1_CASES } from '../testing/sharded-cases';
import { SHARDED_MESH_CASES } from '../testing/sharded-mesh-cases';

const cases = [...FSDP_CASES, ...ZERO1_CASES, ...SHARDED_MESH_CASES];

test('the intended cases exist', () => expect(cases).toHaveLength(17));

/** Shards of padded rows, and shards around two stages. */
const IN_QUICK = /^mlp784, 3 ranks, reshard_after_forward=true|pp 2,dpShard 2$/;
const ON_CPU = 'the CPU device has this run in npm test, and two other runs have the same kernels';

describeOnGpu(cases, {
  mode: 'sharded',
  restOf: ({ name }) => (IN_QUICK.test(name) ? undefined : ON_CPU),
  workers: 'parity.gpu.test.ts has one GPUDevice per rank in other modes, and the CPU device this run in workers',
});

test(
  'reduced gradients of a second micro-batch are added, in both placements',
  place({ modes: ['sharded'] }),
  async () => {
    const node = nodeGpu({ warm: true });
    const lossesOf = (config: ConfigInput) =>
      withTraining({ ...NET, mode: 'sharded', worldSize: 2, accumulate: 2, ...config }, {}, (t) => t.run(8), node.gpu);
    try {
      const shared = await lossesOf({ device: 'webgpu' });
      expect(await lossesOf({ device: 'webgpu', placement: 'workers' })).toEqual(shared);
      const onCpu = await lossesOf({ device: 'cpu' });
      for (const [k, { loss }] of onCpu.entries()) expect(shared[k]?.loss).toBeCloseTo(loss, 6);
    } finally {
      await node.close();
    }
  },
);
