/**
 * Ranks killed at random instructions on WebGPU, in both placements: bit for bit the undisturbed run, and no device or
 * buffer is left behind. The exhaustive form runs on the CPU device.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { type NodeGpu, nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { Generator } from '../../tensor/generator';
import { createBlueprint } from '../blueprint';
import { PLACEMENTS } from '../testing/placements';
import { watchGpu } from '../testing/watched-gpu';
import type { PlannedFault } from './fault-plan';

const KILLS = 4;

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu();
});
afterAll(() => node.close());

const config: ConfigInput = {
  device: 'webgpu',
  mode: 'ddp',
  worldSize: 2,
  model: { layers: [{ type: 'Linear', in: 2, out: 3 }, { type: 'Tanh' }, { type: 'Linear', in: 3, out: 1 }] },
  optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
  data: { type: 'xor', samples: 24 },
  batchSize: 6,
  compareSingle: false,
  maxRestarts: KILLS,
  steps: KILLS + 2,
  seed: 4,
};

test.each(PLACEMENTS)(
  'killed again and again, $title',
  {
    timeout: 60_000,
    ...place({
      rest: 'kills.test.ts kills ranks at more instructions on the CPU, and device-loss.gpu.test.ts loses devices',
    }),
  },
  async ({ placement }) => {
    const { programs } = createBlueprint(parseConfig(config), {});
    const random = new Generator(placement.length);
    const faults = Array.from({ length: KILLS }, (_, step): PlannedFault => {
      const rank = step % 2;
      const { instructions } = at(at(programs, 0).lanes, rank);
      return {
        what: 'kill',
        rank,
        step,
        instruction: at(instructions, Math.floor(random.uniform24() * instructions.length)).id,
      };
    });
    const watched = watchGpu(node.gpu);
    const disturbed = await runConfig({ ...config, placement }, {}, { gpu: watched.gpu, faults });
    const undisturbed = await runConfig({ ...config, placement }, {}, { gpu: node.gpu });
    expect(disturbed.report.notices.filter(({ id }) => id === 'rank-failed')).toHaveLength(KILLS);
    expect(disturbed.report.losses).toEqual(undisturbed.report.losses);
    expect(disturbed.weights()).toEqual(undisturbed.weights());
    await Promise.all(watched.devices.map((device) => device.lost));
    expect(watched.use()).toEqual({ devices: 0, buffers: 0, bytes: 0 });
  },
);
