/**
 * A checkpoint on WebGPU: saved with all ranks on one device, resumed with one device per rank and by rank 0's
 * broadcast: the run without the stop.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { NET, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

test('saved shared, resumed in workers, each rank by itself or by rank 0', async () => {
  const config: ConfigInput = { ...NET, mode: 'ddp', device: 'webgpu', compareSingle: false };
  const straight = await withTraining(
    config,
    {},
    async (t) => {
      await t.run(7);
      return stateOf(t);
    },
    node.gpu,
  );
  const files = await savedAfter(config, 4, {}, node.gpu);
  for (const resumeBy of ['everyRank', 'rank0'] as const) {
    const resumed = await withTraining(
      { ...config, placement: 'workers', resume: 'run', resumeBy },
      files,
      async (t) => {
        await t.run(3);
        return stateOf(t);
      },
      node.gpu,
    );
    expect(resumed).toEqual(straight);
  }
});
