/**
 * Tensor parallelism beside the other axes of a mesh: with replicas (dpReplicate), with pipeline stages (pp) and with
 * both. Each mesh trains like one device with the same global batch. Gradients are averaged among ranks that hold the
 * same part, and the norm for clipping counts each part once.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Program } from '../../program/instruction';
import { planMemory } from '../../program/memory-planner';
import { verify } from '../../program/verifier';
import type { Config, ConfigInput, LayerInput } from '../../protocol/config';
import { groupLabel } from '../../protocol/mesh';
import { mlpLayers } from '../../protocol/presets';
import { programKey } from '../../protocol/step-kind';
import type { Phase } from '../../protocol/trace';
import { metricsOf } from '../../trace/metrics';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { flightDump } from '../failures/flight-dump';
import { FlightLog } from '../failures/flight-log';
import type { Training } from '../training';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const STEPS = 8;
/** float32 sums in another order; Adam makes a step of lr of what rounding leaves of a tiny gradient. */
const BAR = { SGD: 1e-6, Adam: 1e-4 } as const;

/** A column/row pair in each half of the net. The last layer of all is whole. */
const PLAN = {
  0: 'ColwiseParallel',
  2: 'RowwiseParallel',
  4: 'ColwiseParallel',
  6: 'RowwiseParallel',
} as const;
const NET = [4, 6, 4, 6, 3, 2];
/** Enough rows for a batch whose activations outweigh the parameters. */
const WIDE = { type: 'randomRegression', samples: 512, in: 4, out: 2 } as const;

/** Dropout in the place of most activations: 1 inside a pair, 3 and 7 behind one. */
const dropped = (layers: readonly LayerInput[]): readonly LayerInput[] =>
  layers.map((layer, i) => (i % 4 === 3 || i === 1 ? { type: 'Dropout', p: 0.25 } : layer));

const withGelu = (layers: readonly LayerInput[]): LayerInput[] =>
  layers.map((layer) => (layer.type === 'Tanh' ? { type: 'GELU' } : layer));

interface Sizes {
  readonly pp?: number;
  readonly dpReplicate?: number;
  readonly tp: number;
}

function configOf({ pp = 1, dpReplicate = 1, tp }: Sizes, more: ConfigInput = {}): Config {
  return parseConfig({
    ...(pp > 1 ? { mode: 'pipeline', pipeline: { microBatches: 2 } } : { mode: 'tensor' }),
    mesh: { ...(pp > 1 ? { pp } : {}), dpReplicate, tp },
    tensor: { plan: PLAN },
    device: 'cpu',
    model: { layers: mlpLayers(NET, 'Tanh') },
    data: { type: 'randomRegression', samples: 48, in: 4, out: 2 },
    loss: { type: 'MSELoss' },
    optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
    batchSize: 8,
    ...more,
  });
}

async function trained(config: Config): Promise<Training> {
  const blueprint = createBlueprint(config, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  await training.run(STEPS);
  return training;
}

/** The groups of a Program's collectives, each with the phases in which it works. */
function groupsOf({ lanes }: Program): Readonly<Record<string, string>> {
  const found = new Map<string, Set<string>>();
  for (const { instructions } of lanes)
    for (const each of instructions) {
      if (!('collective' in each) || !each.collective) continue;
      const { group } = each.collective;
      const label = group ? groupLabel(group) : 'default_pg';
      found.set(label, new Set([...(found.get(label) ?? []), each.phase]));
    }
  return Object.fromEntries([...found].map(([label, phases]) => [label, [...phases].join(' ')]));
}

/** The first pair works on data, which need no gradient. */
const [first, sums] = ['forward', 'forward backward'];

const MESHES = [
  [
    { dpReplicate: 2, tp: 2 },
    {
      'tp[0, 1]': sums,
      'tp[2, 3]': sums,
      'dp_replicate[0, 2]': 'reduce',
      'dp_replicate[1, 3]': 'reduce',
    },
  ],
  [
    { pp: 2, tp: 2 },
    { 'tp[0, 1]': first, 'tp[2, 3]': sums },
  ],
  [
    { pp: 2, dpReplicate: 2, tp: 2 },
    {
      'tp[0, 1]': first,
      'tp[2, 3]': first,
      'tp[4, 5]': sums,
      'tp[6, 7]': sums,
      'dp_replicate[0, 2]': 'reduce',
      'dp_replicate[1, 3]': 'reduce',
      'dp_replicate[4, 6]': 'reduce',
      'dp_replicate[5, 7]': 'reduce',
    },
  ],
] as const;

describe.each(MESHES)('%j', (sizes: Sizes, groups) => {
  test('is verified and planned; gradients are averaged among equal parts only', () => {
    const { programs } = createBlueprint(configOf(sizes), {});
    for (const program of programs) expect(() => verify(program, PROGRAM_OPS)).not.toThrow();
    expect(planMemory(programs).size).toBe(configOf(sizes).worldSize);
    expect(groupsOf(must(programs.at(-1), 'a Program'))).toEqual(groups);
  });

  test.each([
    [{}],
    [{ optimizer: { type: 'Adam', lr: 0.01 } }],
    [{ clipGradNorm: 0.2 }],
    [{ clipGradNorm: 0.1, clipGradNormType: 'inf' }],
    [{ clipGradNorm: 0.3, clipGradNormType: 1 }],
    [{ ddp: { bucketCapMb: 0.0001, algorithm: 'naive' } }],
    [{ ddp: { gradientAsBucketView: true, overlap: false } }],
    [{ fuse: true }],
    [{ placement: 'workers' }],
    [{ checkpointSegments: 2 }],
    // The gradient of GELU asks for the sum of the pair before it, which the segment computes again.
    [{ checkpointSegments: 2, fuse: true, model: { layers: withGelu(dropped(mlpLayers(NET, 'Tanh'))) } }],
    // One mask where a region is replicated, a piece of it where the region is cut.
    [{ model: { layers: dropped(mlpLayers([4, 6, 4, 5, 3, 2], 'Tanh')) } }],
    [{ model: { layers: dropped(mlpLayers([4, 6, 4, 5, 3, 2], 'Tanh')) }, shuffle: false, placement: 'workers' }],
    // Uneven parts: 4 and 3 columns.
    [{ model: { layers: mlpLayers([4, 7, 4, 5, 3, 2], 'Tanh') } }],
    // The buckets of the two parts then hold other numbers of gradients.
    [
      {
        model: { layers: mlpLayers([4, 7, 4, 5, 3, 2], 'Tanh') },
        ddp: { gradientAsBucketView: true, bucketCapMb: 0.0001 },
      },
    ],
  ] as const)('%j: the losses and weights of one device', async (more) => {
    const config = configOf(sizes, more as ConfigInput);
    const training = await trained(config);
    const weights = await training.weights();
    expect(replicaDivergence(training.blueprint, weights)).toBe(0);
    expect(differenceFromSingle(training.blueprint, weights)).toBeLessThanOrEqual(BAR[config.optimizer.type as 'SGD']);
    await training.dispose();
  });

  test('bytes: those that are counted are those of the closed form', async () => {
    const config = configOf(sizes, { ddp: { algorithm: 'naive' } });
    const training = await trained(config);
    const { bytesAgree, formula, traffic } = metricsOf(await training.trace(), 'modelled', sessionInfo(training));
    expect(bytesAgree, `${formula.perDevice} B, counted ${traffic.sent} B`).toBe(true);
    await training.dispose();
  });

  test('every rank has its groups in the flight recorder, each with a sequence of its own', () => {
    const blueprint = createBlueprint(configOf(sizes), {});
    const log = new FlightLog();
    log.completed(
      log.enqueued([{ microBatch: 0, program: programKey(must(blueprint.programs.at(-1), 'a Program').kind) }]),
    );
    for (const { rank, entries, pg_config } of flightDump(log, blueprint)) {
      const own = Object.keys(groups).filter((label) => new RegExp(`\\b${rank}\\b`).test(label));
      expect(Object.keys(pg_config)).toHaveLength(own.length);
      for (const id of Object.keys(pg_config)) {
        const calls = entries.filter((entry) => String(entry.pg_id) === id);
        expect(calls.map((entry) => entry.collective_seq_id)).toEqual(calls.map((_call, i) => i + 1));
      }
    }
  });

  test('all ranks of a replica clip by the same norm, to the bit', async () => {
    const training = await trained(configOf(sizes, { clipGradNorm: 0.2 }));
    const { events } = await training.trace();
    const norms = events.flatMap(({ device, captured }) =>
      captured.flatMap(({ buffer, values }) => (buffer === 'grad_norm' ? [{ device, norm: at(values, 0) }] : [])),
    );
    // Gradients are averaged before: the replicas have the same ones.
    expect(new Set(norms.map(({ norm }) => norm)).size).toBe(1);
    expect(new Set(norms.map(({ device }) => device)).size).toBe(configOf(sizes).worldSize);
    await training.dispose();
  });
});

test('a stage that ends inside a pair sends the whole activation', async () => {
  const sizes = { pp: 2, tp: 2 };
  const training = await trained(configOf(sizes, { pipeline: { microBatches: 2, split: [2, 7] } }));
  expect(differenceFromSingle(training.blueprint, await training.weights())).toBeLessThanOrEqual(BAR.SGD);
  await training.dispose();
});

/** Of a rank's Program: the collectives of tensor groups in a phase. */
function sumsIn(phase: Phase, config: Config): number {
  const { programs } = createBlueprint(config, {});
  const { instructions } = at(must(programs.at(-1), 'a Program').lanes, 0);
  const seqs = instructions.flatMap((i) => (i.kind === 'send' && i.phase === phase ? [i.collective?.seq] : []));
  return new Set(seqs).size;
}

test('a checkpointed segment sends again what its gradients ask for, and keeps fewer activations', () => {
  const kept = (config: Config): number => {
    const { programs } = createBlueprint(config, {});
    return must(planMemory(programs).get(0), 'a plan').bytes;
  };
  const gelu = { model: { layers: withGelu(mlpLayers(NET, 'Tanh')) }, batchSize: 256, data: WIDE };
  const [tanh, once] = [configOf({ tp: 2 }), configOf({ tp: 2 }, gelu)];
  const [tanhAgain, again] = [tanh, once].map((config) => ({ ...config, checkpointSegments: 2 }));
  // Two pairs, each with a sum in its forward pass; the second has one in its backward pass.
  for (const config of [tanh, once, tanhAgain, again]) expect(sumsIn('forward', must(config, 'config'))).toBe(2);
  expect([tanh, tanhAgain].map((config) => sumsIn('backward', must(config, 'config')))).toEqual([1, 1]);
  expect([once, again].map((config) => sumsIn('backward', must(config, 'config')))).toEqual([1, 2]);
  expect(kept(must(again, 'config'))).toBeLessThan(kept(once));
});
