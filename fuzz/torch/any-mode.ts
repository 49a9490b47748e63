/** A mode with the sizes of its mesh, and a few of its settings. */
import { modulesOf } from '../../src/graph/partition/styles';
import { ALGORITHM_NAMES } from '../../src/protocol/collective';
import type { ConfigInput, LayerConfig, LayerInput } from '../../src/protocol/config';
import type { StyleConfig } from '../../src/protocol/config/tensor';
import { SCHEDULE_NAMES } from '../../src/protocol/pipeline';
import { toCsv } from '../../src/schedules/schedule-text';
import { randomSchedules } from '../../src/schedules/testing/random-schedule';
import { type Gen, int, often, one, some } from './draws';

const ddpOf = (g: Gen): NonNullable<ConfigInput['ddp']> => ({
  ...some(g, 40, () => ({ bucketCapMb: one(g, 0.0001, 0.0003, 0.001) })),
  ...some(g, 15, () => ({ gradientAsBucketView: true })),
  ...some(g, 10, () => ({ staticGraph: true })),
  ...some(g, 10, () => ({ findUnusedParameters: true })),
  ...some(g, 10, () => ({ broadcastBuffers: false })),
  ...some(g, 10, () => ({ setEpoch: false })),
  ...some(g, 10, () => ({ samplerSeed: 5 })),
  ...some(g, 15, () => ({ algorithm: one(g, ...ALGORITHM_NAMES) })),
});

const hooks = (g: Gen): NonNullable<ConfigInput['ddp']> =>
  some(g, 25, () => ({
    commHook: one(
      g,
      { type: 'fp16Compress' as const },
      { type: 'localSGD' as const, period: int(g, 1, 3), startLocalSGDIter: int(g, 0, 2) },
      {
        type: 'powerSGD' as const,
        startPowerSGDIter: int(g, 2, 3),
        minCompressionRate: 0.5,
        matrixApproximationRank: int(g, 1, 2),
        useErrorFeedback: often(g, 70),
        warmStart: often(g, 70),
      },
    ),
  }));

/** Rows of each rank that join() or equal numbers of batches make a run of. */
const uneven = (g: Gen, ranks: number): NonNullable<ConfigInput['ddp']> =>
  some(g, 12, () => ({
    samplesPerRank: Array.from({ length: ranks }, () => int(g, 3, 12)),
    join: often(g, 80),
    divideByInitialWorldSize: often(g, 60),
  }));

/** Positive parts with that sum. */
function parts(g: Gen, sum: number, count: number): number[] {
  const sizes = Array.from({ length: Math.min(count, sum) }, () => 1);
  for (let left = sum - sizes.length; left > 0; left--) {
    const i = int(g, 0, sizes.length - 1);
    sizes[i] = (sizes[i] ?? 0) + 1;
  }
  return sizes;
}

const LAYOUTS = ['Replicate', 'Shard(1)', 'Shard(-1)'] as const;

const anyStyle = (g: Gen): StyleConfig =>
  one<() => StyleConfig>(
    g,
    () => 'ColwiseParallel',
    () => 'RowwiseParallel',
    () => ({ style: 'ColwiseParallel', outputLayouts: one(g, ...LAYOUTS), useLocalOutput: often(g, 50) }),
    () => ({ style: 'RowwiseParallel', outputLayouts: one(g, 'Replicate', 'Shard(1)') }),
    () => ({ style: one(g, 'ColwiseParallel', 'RowwiseParallel'), inputLayouts: one(g, ...LAYOUTS) }),
  )();

/** Styles for some modules that have weights of two dimensions; SequenceParallel for some norms. */
function anyPlan(g: Gen, layers: readonly LayerInput[]): Record<string, StyleConfig> {
  const plan = modulesOf(layers as readonly LayerConfig[]).flatMap(({ path, layer }) => {
    if (['Linear', 'Embedding', 'Conv2d'].includes(layer.type) && often(g, 70)) return [[path, anyStyle(g)] as const];
    return layer.type === 'LayerNorm' && often(g, 20) ? [[path, 'SequenceParallel'] as const] : [];
  });
  return Object.fromEntries(plan);
}

const tensorOf = (g: Gen, layers: readonly LayerInput[]) =>
  some(g, 45, () => ({
    tensor: { plan: anyPlan(g, layers), ...some(g, 20, () => ({ lossParallel: often(g, 60) })) },
  }));

const low = ['bfloat16', 'float16'] as const;

const shardedOf = (g: Gen, layers: readonly LayerInput[]): NonNullable<ConfigInput['sharded']> => ({
  stage: one(g, 1, 2, 3, 3, 3),
  ...some(g, 20, () => ({ reshardAfterForward: often(g, 50) })),
  ...some(g, 10, () => ({ reshardTo: 2 })),
  ...some(g, 20, () => ({ prefetch: int(g, 0, 2) })),
  ...some(g, 30, () => ({ syncEveryPass: often(g, 50) })),
  ...some(g, 5, () => ({ cpuOffload: true })),
  ...some(g, 15, () => ({
    paramDtype: one(g, ...low),
    ...some(g, 40, () => ({ reduceDtype: one(g, 'float32', ...low) })),
    ...some(g, 30, () => ({ castForwardInputs: false })),
  })),
  ...some(g, 30, () => ({
    modules: layers.flatMap((layer, i) => (often(g, 50) ? [layer.name ?? String(i)] : [])),
  })),
});

type Draw = (g: Gen, layers: readonly LayerInput[]) => ConfigInput;

const MODES: readonly Draw[] = [
  (g) => ({ mode: 'single', accumulate: one(g, 1, 1, 2, 3), ...segments(g) }),
  (g) => ({ mode: 'dataParallel', worldSize: int(g, 1, 4) }),
  (g) => {
    const worldSize = int(g, 1, 4);
    return {
      ...{ mode: 'ddp', worldSize, accumulate: one(g, 1, 1, 2, 3), ...segments(g) },
      ddp: {
        ...ddpOf(g),
        ...some(g, 10, () => ({ rankSeeds: one(g, 'beforeModel', 'afterModel') })),
        ...some(g, 10, () => ({ noSync: one(g, 'forward', 'backward', 'none') })),
        ...some(g, 5, () => ({ initSync: false })),
        ...hooks(g),
        ...uneven(g, worldSize),
      },
    };
  },
  (g, layers) => {
    const worldSize = int(g, 1, 3);
    const split = some(g, 40, () => ({ modelParallel: { split: parts(g, layers.length, worldSize) } }));
    return { mode: 'modelParallel', worldSize, accumulate: one(g, 1, 1, 2), ...split };
  },
  pipeline,
  pipeline,
  (g, layers) => ({
    mode: 'sharded',
    accumulate: one(g, 1, 1, 2, 3),
    mesh: { dpShard: int(g, 1, 4), ...some(g, 25, () => ({ dpReplicate: 2 })) },
    sharded: shardedOf(g, layers),
  }),
  (g, layers) => ({
    mode: 'tensor',
    accumulate: one(g, 1, 1, 2, 3),
    mesh: { tp: int(g, 2, 4), ...some(g, 30, () => ({ dpReplicate: 2 })) },
    ddp: ddpOf(g),
    ...tensorOf(g, layers),
  }),
  (g, layers) => ({
    mode: 'sharded',
    mesh: { tp: 2, dpShard: 2, ...some(g, 20, () => ({ dpReplicate: 2 })) },
    accumulate: one(g, 1, 1, 2),
    sharded: shardedOf(g, layers),
    ...tensorOf(g, layers),
  }),
  (g) => ({
    mode: 'parameterServer',
    worldSize: int(g, 2, 4),
    ...some(g, 40, () => ({ parameterServer: { synchronous: often(g, 40), staleness: int(g, 0, 2) } })),
  }),
];

const segments = (g: Gen) => some(g, 8, () => ({ checkpointSegments: int(g, 1, 3) }));

function pipeline(g: Gen, layers: readonly LayerInput[]): ConfigInput {
  const pp = one(g, 1, 2, 2, 2, 3, 4);
  const schedule = one(g, ...SCHEDULE_NAMES);
  if (often(g, 15)) {
    const own = g(randomSchedules, { ranks: int(g, 2, 3), microBatches: 4 });
    const { ranks, microBatches } = own;
    return {
      mode: 'pipeline',
      mesh: { pp: ranks, dpReplicate: one(g, 1, 1, 2) },
      pipeline: { schedule: 'own', microBatches, actions: toCsv(own) },
      ddp: { ...ddpOf(g), ...hooks(g) },
    };
  }
  const perRank = schedule === 'GPipe' || schedule === '1F1B' ? 1 : one(g, 2, 2, 2, 3);
  return {
    mode: 'pipeline',
    mesh: { pp, dpReplicate: one(g, 1, 1, 2), ...one(g, {}, {}, { tp: 2 }, { dpShard: 2 }) },
    pipeline: {
      schedule,
      microBatches: int(g, 1, 6),
      ...(perRank > 2 ? { stagesPerRank: perRank } : {}),
      ...some(g, 15, () => ({ scaleGrads: false })),
      ...some(g, 25, () => ({ split: parts(g, layers.length, pp * perRank) })),
    },
    ddp: { ...ddpOf(g), ...hooks(g) },
    dropLast: often(g, 80),
    ...tensorOf(g, layers),
  };
}

export const anyMode: Draw = (g, layers) => one(g, ...MODES)(g, layers);
