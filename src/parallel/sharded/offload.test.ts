/** CPU offload: what a rank has on its device and on its host, how long a modelled step takes, and the script. */
import { expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { planRun } from '../../headless/plan-run';
import { runConfig } from '../../headless/run';
import { type ConfigInput, DEFAULT_CONFIG } from '../../protocol/config';
import { machineOf } from '../../simulator/machine';
import { simulate } from '../../simulator/simulate';
import { createBlueprint } from '../../training/blueprint';
import { shardedListing } from './listing';

const NET: ConfigInput = {
  optimizer: { type: 'Adam' },
  mode: 'sharded',
  worldSize: 2,
  device: 'cpu',
  compareSingle: false,
  steps: 3,
  batchSize: 32,
};
const both = [false, true].map((cpuOffload): ConfigInput => ({ ...NET, sharded: { cpuOffload } }));

it('moves exactly the shards, their gradients and the states to the host', async () => {
  const [without, offloaded] = (await Promise.all(both.map((config) => planRun(parseConfig(config), {})))).map((all) =>
    at(all, 0),
  );
  const { parameter, gradient } = must(without, 'a device').byCategory;
  const moved = must(offloaded, 'a device');
  expect(moved.byCategory.parameter).toBe(0);
  // Gradients that no shard has, such as that of the loss, stay.
  expect(moved.byCategory.gradient).toBe(gradient - parameter);
  // Adam has two states of a shard's size.
  expect(moved.hostBytes).toBe(4 * parameter);
  expect(moved.peakBytes).toBe(must(without, 'a device').peakBytes - must(moved.hostBytes, 'host'));
  expect(moved.entries.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(must(without, 'a device').peakBytes);
});

it('changes no bit of the run', async () => {
  const [without, offloaded] = await Promise.all(both.map((config) => runConfig(config, {})));
  expect(must(offloaded, 'a run').report.weightsSha256).toBe(must(without, 'a run').report.weightsSha256);
});

it('makes a modelled step longer by its copies and by the optimiser on the host', () => {
  const times = both.map((config) => {
    const { programs } = createBlueprint(parseConfig({ ...config, model: WIDE }), {});
    const times = simulate(at(programs, 0), machineOf(parseConfig(config)));
    return Math.max(...[...times.values()].map(({ startUs, durUs }) => startUs + durUs));
  });
  // 1.05 million parameters, half of them on each rank: 2.1 MB in for each of two gathers, and out once, at 25 GB/s.
  const copies = (3 * 4 * (1025 * 1024)) / 2 / 25e9;
  expect(at(times, 1) - at(times, 0)).toBeGreaterThan(0.9e6 * copies);
});

const WIDE: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 1024 },
    { type: 'ReLU' },
    { type: 'Linear', in: 1024, out: 1024 },
    { type: 'ReLU' },
    { type: 'Linear', in: 1024, out: 1 },
  ],
};

it('is CPUOffloadPolicy in the script, and is refused without fully_shard', () => {
  const listing = shardedListing({ ...DEFAULT_CONFIG, ...parseConfig(at(both, 1)) });
  const code = listing.map(({ text }) => text).join('\n');
  expect(code).toContain("offload = CPUOffloadPolicy(pin_memory=device.type == 'cuda')");
  expect(code).toContain('fully_shard(model, mesh=mesh, offload_policy=offload)');
  const refused = (config: ConfigInput) => () => createBlueprint(parseConfig({ ...at(both, 1), ...config }), {});
  expect(refused({ sharded: { cpuOffload: true, stage: 1 } })).toThrow(/sharded.stage.*CPUOffloadPolicy/s);
  expect(refused({ worldSize: 4, mesh: { tp: 2 } })).toThrow(/mesh.tp.*sharded.cpuOffload/s);
});
