/** Worlds of 32 and 64 ranks on the CPU device: all replicas are equal, and equal to one device. */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';

const net: ConfigInput = {
  device: 'cpu',
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 9 },
      { type: 'Tanh' },
      { type: 'Linear', in: 9, out: 9 },
      { type: 'Tanh' },
      { type: 'Linear', in: 9, out: 1 },
    ],
  },
  data: { type: 'xor', samples: 384 },
  batchSize: 128,
  steps: 4,
  seed: 5,
};

async function isEqualEverywhere(config: ConfigInput): Promise<void> {
  const { report } = await runConfig({ ...net, ...config }, {});
  expect(report.replicaDivergence).toBe(0);
  expect(report.differenceFromSingle).toBeLessThan(1e-6);
}

test.each<[string, ConfigInput]>([
  ['DDP, 64 ranks on 8 nodes', { mode: 'ddp', worldSize: 64, nodes: 8, ddp: { algorithm: 'hierarchical' } }],
  ['pipelines of 2 stages, 16 replicas', { mode: 'pipeline', mesh: { pp: 2, dp: 16 }, pipeline: { microBatches: 4 } }],
])('%s', (_, config) => isEqualEverywhere(config));

describe('with other algorithms', place({ rest: 'a world of 64 ranks trains in the quick tier' }), () => {
  test.each<[string, ConfigInput]>([
    ['DDP, 64 ranks', { mode: 'ddp', worldSize: 64 }],
    ['DDP, 64 ranks, buckets that are views', { mode: 'ddp', worldSize: 64, ddp: { gradientAsBucketView: true } }],
    ['32 shards', { mode: 'sharded', worldSize: 32 }],
    ['DDP, 64 ranks in a tree', { mode: 'ddp', worldSize: 64, ddp: { algorithm: 'tree' } }],
  ])('%s', (_, config) => isEqualEverywhere(config));
});
