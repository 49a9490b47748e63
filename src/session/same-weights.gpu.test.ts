/**
 * Whole runs on WebGPU end with the same bits wherever the ranks live, and whatever is fused. The devices are kept over
 * the runs, with what they have compiled.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { runConfig } from '../headless/run';
import type { ConfigInput } from '../protocol/config';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const ddp: ConfigInput = {
  device: 'webgpu',
  mode: 'ddp',
  worldSize: 3,
  data: { type: 'xor', samples: 60 },
  batchSize: 12,
  seed: 3,
};

test.each([
  ['single', 1, 15],
  ['dataParallel', 3, 15],
  ['ddp', 3, 15],
  ['modelParallel', 3, 15],
  ['dataParallel', 8, 3],
  ['ddp', 8, 3],
] as const)(
  '%s on %i devices: shared and one GPUDevice per rank give bitwise the same weights',
  place({ rest: 'parity.gpu.test.ts holds one GPUDevice per rank to the bits of the shared run, in every mode' }),
  async (mode, worldSize, steps) => {
    const config = { ...ddp, mode, worldSize, batchSize: 24, steps };
    const shared = await runConfig(config, {}, { gpu: node.gpu });
    const workers = await runConfig({ ...config, placement: 'workers' }, {}, { gpu: node.gpu });
    expect(workers.report.weightsSha256).toBe(shared.report.weightsSha256);
    expect(shared.report.losses.map((l) => l.perRank)).toEqual(workers.report.losses.map((l) => l.perRank));
    if (mode === 'modelParallel') expect(shared.report.differenceFromSingle).toBe(0);
  },
);

test.each([3, 4])(
  '%i ranks, fused kernels in shared workgroups: bitwise the weights of plain ones',
  async (worldSize) => {
    const config = { ...ddp, worldSize, steps: 12 };
    const plain = await runConfig(config, {}, { gpu: node.gpu });
    const fused = await runConfig({ ...config, fuse: true }, {}, { gpu: node.gpu });
    expect(fused.report.weightsSha256).toBe(plain.report.weightsSha256);
  },
);
