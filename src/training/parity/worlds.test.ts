/**
 * Worlds of one to eight devices in both placements, on the CPU device: the same bits, the bytes that were planned, and
 * DDP's constructor.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { CONSTRUCT } from '../../protocol/step-kind';
import { emptyFeed } from '../../runtime/launch/empty-feed';
import { createBlueprint } from '../blueprint';
import { DeviceKeeper } from '../device-keeper';
import { memoryOf } from '../device-memory';
import { openWorld } from '../open-world';
import { PLACEMENTS } from '../testing/placements';

/** Eight Linear layers, so that model parallel has a layer for each device. */
const deep: ConfigInput = {
  device: 'cpu',
  model: {
    layers: [2, 5, 6, 4, 7, 5, 6, 3].flatMap((width, i, widths) => [
      { type: 'Linear' as const, in: width, out: widths[i + 1] ?? 1 },
      ...(i === widths.length - 1 ? [] : [{ type: 'Tanh' as const }]),
    ]),
  },
  data: { type: 'xor', samples: 90 },
  batchSize: 24,
  steps: 6,
  seed: 5,
};

async function open(input: ConfigInput) {
  const blueprint = createBlueprint(parseConfig(input), {});
  const { programs, table, rankOfDevice, config } = blueprint;
  const choice = await new DeviceKeeper(undefined, true).choose('cpu');
  const world = await openWorld({ programs, table, rankOfDevice, placement: config.placement, choice, gpu: undefined });
  return { blueprint, world };
}

describe.each(['dataParallel', 'ddp', 'modelParallel'] as const)('%s', (mode) => {
  const SAME = '%i devices: both placements end with the same weights';
  test.each([1, 2, 3, 8])(SAME, hasTheSameWeights);
  test.each([4, 5, 6, 7])(SAME, place({ rest: 'worlds of 1, 2, 3 and 8 are compared' }), hasTheSameWeights);

  async function hasTheSameWeights(worldSize: number): Promise<void> {
    const reports = [];
    for (const { placement } of PLACEMENTS)
      reports.push((await runConfig({ ...deep, mode, worldSize, placement }, {})).report);
    const [shared, joined] = reports;
    expect(joined?.weightsSha256).toBe(shared?.weightsSha256);
    expect(joined?.losses).toEqual(shared?.losses);
    expect(shared?.replicaDivergence).toBe(0);
    if (mode === 'modelParallel') expect(shared?.differenceFromSingle).toBe(0);
    // 90 rows in batches of 24 are alike on all ranks only where 24 and 90 divide by the world size.
    else if (mode === 'dataParallel' || [1, 2, 3, 6].includes(worldSize))
      expect(shared?.differenceFromSingle).toBeLessThan(1e-6);
  }

  test.each(PLACEMENTS)(
    '$title: each device allocates the bytes that the page shows, byte for byte',
    async ({ placement }) => {
      for (const worldSize of [2, 5, 8]) {
        const { blueprint, world } = await open({ ...deep, mode, worldSize, placement });
        for (const { device, peakBytes } of memoryOf(blueprint))
          expect(await world.allocatedBytes(device)).toBe(peakBytes);
        await world.dispose();
      }
    },
  );
});

test.each(PLACEMENTS)("%s: DDP's constructor gives every rank the parameters of rank 0", async ({ placement }) => {
  for (const worldSize of [2, 5, 8]) {
    const { blueprint, world } = await open({ ...deep, mode: 'ddp', worldSize, placement });
    const refs = blueprint.rankOfDevice.flatMap((_, device) =>
      blueprint.parameters.map(({ name, data }) => ({
        device,
        buffer: name,
        data: data.map((value) => value + device),
      })),
    );
    await world.write(refs);
    await world.run([emptyFeed(CONSTRUCT)]);
    const held = await world.read(refs);
    held.forEach((values, i) => {
      expect(values).toEqual(at(blueprint.parameters, i % blueprint.parameters.length).data);
    });
    await world.dispose();
  }
});
