/** Known before the run: what the plan says of every preset in every mode is what the GPU then holds, byte for byte. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { parseConfig } from '../config/parse-config';
import { MODES } from '../protocol/config';
import { PRESETS } from '../protocol/presets';
import { type NodeGpu, nodeGpu } from '../runtime/webgpu/testing/node-gpu';
import { createBlueprint } from './blueprint';
import { DeviceKeeper } from './device-keeper';
import { memoryOf } from './device-memory';
import { openWorld } from './open-world';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

const cases = Object.entries(PRESETS).flatMap(([name, { config }]) => MODES.map((mode) => ({ name, mode, config })));

const ONE_PRESET = 'the plan of this mode is tested with the MLP';

for (const { name, config, mode } of cases)
  test(
    `${name}, ${mode}: the plan is what is allocated`,
    place({ modes: [mode], rest: name === 'mlp' ? undefined : ONE_PRESET }),
    async () => {
      // A pipeline's short last batch may have too few rows for its micro-batches.
      const dropLast = mode === 'pipeline';
      const run = { ...config, mode, worldSize: 2, dropLast, compareSingle: false };
      const blueprint = createBlueprint(parseConfig(run), {});
      const keeper = new DeviceKeeper(node.gpu, true);
      const { programs, table, rankOfDevice } = blueprint;
      const choice = await keeper.choose('webgpu');
      const world = await openWorld({ programs, table, rankOfDevice, choice, placement: 'shared', gpu: node.gpu });
      try {
        for (const { device, peakBytes, entries } of memoryOf(blueprint)) {
          expect(await world.allocatedBytes(device)).toBe(peakBytes);
          expect(entries.reduce((sum, entry) => sum + entry.bytes, 0)).toBe(peakBytes);
        }
      } finally {
        await world.dispose();
        keeper.forget();
      }
    },
  );
