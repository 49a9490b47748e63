/**
 * A mesh of 2 x 2 x 2 ranks: two stages, and two axes of replicas beside them. It is verified, planned, simulated and
 * trained, its weights are those of one device, and each gradient is averaged over the ranks that hold its stage: in
 * one group over both axes at once, or along one axis after the other.
 */
import { describe, expect, test } from 'vitest';
import { planStage } from '../../app/stage/scene';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import type { ParallelMode } from '../../parallel/mode';
import { PROGRAM_OPS } from '../../parallel/modes';
import { pipeline } from '../../parallel/pipeline/mode';
import { hybrid } from '../../parallel/testing/hybrid/mode';
import type { Program } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import { verify } from '../../program/verifier';
import type { Config, ConfigInput } from '../../protocol/config';
import { type Group, groupDescription } from '../../protocol/mesh';
import { mlpLayers } from '../../protocol/presets';
import { programKey } from '../../protocol/step-kind';
import { metricsOf } from '../../trace/metrics';
import { packetsOf } from '../../trace/packets';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { flightDump } from '../failures/flight-dump';
import { FlightLog } from '../failures/flight-log';
import type { Training } from '../training';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const STEPS = 12;

/** As of torch.testing.assert_close for float32, and for Adam what rounding makes of a step of lr (equality.test). */
const BAR = { SGD: 1e-5, Adam: 1e-4 } as const;

/** Replicas along both data axes: stage 0 of ZeRO shards nothing. */
function configOf(more: ConfigInput = {}): Config {
  return parseConfig({
    mode: 'pipeline',
    mesh: { pp: 2, dpReplicate: 2, dpShard: 2 },
    sharded: { stage: 0 },
    device: 'cpu',
    model: { layers: mlpLayers([2, 6, 5, 1], 'Tanh') },
    data: { type: 'xor', samples: 96 },
    batchSize: 16,
    pipeline: { microBatches: 2 },
    ddp: { bucketCapMb: 0.0001, algorithm: 'naive' },
    ...more,
  });
}

async function trained(mode: ParallelMode, config: Config): Promise<Training> {
  const blueprint = createBlueprint(config, {}, { mode });
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  await training.run(STEPS);
  return training;
}

/** The groups of the collectives in a Program, by what torch calls them. */
function groupsOf({ lanes }: Program): Readonly<Record<string, readonly (readonly number[])[]>> {
  const groups = new Map<number, Group>();
  for (const { instructions } of lanes)
    for (const each of instructions)
      if ('collective' in each && each.collective?.group) groups.set(each.collective.group.id, each.collective.group);
  const named = [...groups.values()].map((group) => ({ name: groupDescription(group), ranks: group.ranks }));
  const inOrder = named.sort((a, b) => at(a.ranks, 0) - at(b.ranks, 0));
  return Object.fromEntries(
    inOrder.map(({ name }) => [name, inOrder.flatMap((other) => (other.name === name ? [other.ranks] : []))]),
  );
}

const ONE_GROUP = {
  mesh_dp_replicate_dp_shard: [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ],
};
const AXIS_BY_AXIS = {
  mesh_dp_replicate: [
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
  ],
  mesh_dp_shard: [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
  ],
};

describe.each([
  ['in one group of both axes', pipeline, ONE_GROUP],
  ['along one axis after the other', hybrid, AXIS_BY_AXIS],
] as const)('gradients averaged %s', (_, mode, groups) => {
  test('every Program is accepted and planned, and its collectives are in these groups', () => {
    const { programs } = createBlueprint(configOf(), {}, { mode });
    for (const program of programs) {
      expect(() => verify(program, PROGRAM_OPS)).not.toThrow();
      expect(groupsOf(program)).toEqual(groups);
    }
    const plans = planMemory(programs);
    expect(plans.size).toBe(8);
    const bytes = [...plans.values()].map((plan) => plan.bytes);
    // The replicas of a stage need the same memory.
    for (const device of [1, 2, 3]) expect(bytes[device]).toBe(bytes[0]);
    for (const device of [5, 6, 7]) expect(bytes[device]).toBe(bytes[4]);
  });

  test.each([
    [{}, 'SGD'],
    [{ optimizer: { type: 'Adam', lr: 0.01 } }, 'Adam'],
    [{ clipGradNorm: 0.2 }, 'SGD'],
    [
      {
        pipeline: { schedule: 'ZBVZeroBubble', microBatches: 4 },
        model: { layers: mlpLayers([2, 4, 4, 4, 1], 'Tanh') },
      },
      'SGD',
    ],
    [{ ddp: { algorithm: 'ring', overlap: false } }, 'SGD'],
  ] as const)('%j: the weights of one device with the same global batch', async (more, optimizer) => {
    const training = await trained(mode, configOf(more as ConfigInput));
    const weights = await training.weights();
    expect(replicaDivergence(training.blueprint, weights)).toBe(0);
    expect(differenceFromSingle(training.blueprint, weights)).toBeLessThanOrEqual(BAR[optimizer]);
    await training.dispose();
  });

  test('one rank per worker: the same bits', async () => {
    const hashes = [];
    for (const placement of ['shared', 'workers'] as const) {
      const training = await trained(mode, configOf({ placement }));
      const { devices } = await training.weights();
      hashes.push(devices.map((own) => [...own].map(([name, values]) => [name, [...values]])));
      await training.dispose();
    }
    expect(hashes[0]).toEqual(hashes[1]);
  });

  test('has its groups side by side in the flight recorder, each with a number and a sequence of its own', () => {
    const blueprint = createBlueprint(configOf(), {}, { mode });
    const key = programKey(must(blueprint.programs.at(-1), 'a Program').kind);
    const log = new FlightLog();
    log.completed(log.enqueued([{ microBatch: 0, program: key }]));
    const dumps = flightDump(log, blueprint);
    expect(dumps).toHaveLength(8);
    const seen = new Map<string, { readonly desc: string; readonly ranks: string }>();
    for (const { rank, entries, pg_config, pg_status } of dumps) {
      const own = Object.entries(groups).map(([desc, lines]) => ({
        desc,
        ranks: `[${must(
          lines.find((line: readonly number[]) => line.includes(rank)),
          'a group',
        ).join(', ')}]`,
      }));
      expect(Object.values(pg_config).map(({ desc, ranks }) => ({ desc, ranks }))).toEqual(own);
      for (const [id, { name, desc, ranks }] of Object.entries(pg_config)) {
        expect(name).toBe(id);
        // One number is one group, whichever rank is asked.
        expect(seen.get(id) ?? { desc, ranks }).toEqual({ desc, ranks });
        seen.set(id, { desc, ranks });
        const calls = entries.filter((entry) => String(entry.pg_id) === id);
        expect(calls.map((entry) => entry.collective_seq_id)).toEqual(calls.map((_call, i) => i + 1));
        expect(calls.every((entry) => entry.process_group[1] === desc)).toBe(true);
        expect(pg_status[id]?.last_completed_collective).toBe(calls.length);
      }
    }
    expect(seen.size).toBe(Object.values(groups).flat().length);
  });

  test('is simulated and drawn: two columns of four ranks, every packet within a group or a pipeline', async () => {
    const training = await trained(mode, configOf());
    const trace = await training.trace();
    const info = sessionInfo(training);
    const ends = trace.modelled.map(({ startUs, durUs }) => startUs + durUs);
    expect(ends).toHaveLength(trace.events.length);
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...ends)).toBeGreaterThan(0);
    const { layout } = planStage(info, trace, packetsOf(trace), { width: 1200, height: 900 });
    const lefts = layout.rooms.map(({ x }) => x);
    expect([new Set(lefts.slice(0, 4)).size, new Set(lefts.slice(4)).size, new Set(lefts).size]).toEqual([1, 1, 2]);
    for (const { kind, device, peer, collective } of trace.events) {
      if (kind !== 'send' || peer === undefined) continue;
      if (collective) expect(collective.group?.ranks).toEqual(expect.arrayContaining([device, peer]));
      else expect(Math.abs(device - peer)).toBe(4);
    }
    const { mesh } = training.blueprint;
    expect(mesh.world.ranks.map((rank) => mesh.dataIndex(rank))).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    await training.dispose();
  });
});

test('bytes over one group: those that are counted are those of the closed form', async () => {
  const training = await trained(pipeline, configOf());
  const { bytesAgree, formula, traffic } = metricsOf(await training.trace(), 'modelled', sessionInfo(training));
  expect(bytesAgree, `${formula.total} B, counted ${traffic.total} B`).toBe(true);
  expect(formula.text).toContain('over its 4 replicas');
  await training.dispose();
});
