/**
 * A mode computes the same whatever the settings say in the sections of the configuration that it does not read: every
 * loss, every weight, and the weights of the single-device reference.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { FACES } from '../../parallel/faces';
import { ALGORITHM_NAMES } from '../../protocol/collective';
import { type ConfigInput, MODES } from '../../protocol/config';
import { NET, withTraining } from '../testing/checkpoint-runs';

const STEPS = 3;
const size = fc.integer({ min: 1, max: 4 });
const dtype = fc.constantFrom('float32' as const, 'bfloat16' as const, 'float16' as const);
const some = { requiredKeys: [] };

/** Settings of each section that some modes do not read. */
const IDLE = fc.record(
  {
    mesh: fc.record({ pp: size, dpReplicate: size, dpShard: size, tp: size }, some),
    sharded: fc.record(
      {
        stage: fc.integer({ min: 0, max: 3 }),
        paramDtype: dtype,
        reduceDtype: fc.oneof(dtype, fc.constant('param' as const)),
        modules: fc.constantFrom(['0'], []),
        reshardAfterForward: fc.boolean(),
        syncEveryPass: fc.boolean(),
        cpuOffload: fc.boolean(),
        castForwardInputs: fc.boolean(),
      },
      some,
    ),
    tensor: fc.record(
      { plan: fc.constant({ '0': 'ColwiseParallel', '4': 'RowwiseParallel' } as const), lossParallel: fc.boolean() },
      some,
    ),
    pipeline: fc.record(
      {
        schedule: fc.constantFrom('GPipe' as const, 'Interleaved1F1B' as const, 'own' as const),
        microBatches: size,
        stagesPerRank: size,
        split: fc.constantFrom([2, 3], [1, 1, 3]),
        scaleGrads: fc.boolean(),
      },
      some,
    ),
    ddp: fc.record(
      {
        bucketCapMb: fc.constantFrom(0.0001, 1),
        algorithm: fc.constantFrom(...ALGORITHM_NAMES),
        overlap: fc.boolean(),
        findUnusedParameters: fc.boolean(),
        staticGraph: fc.boolean(),
        gradientAsBucketView: fc.boolean(),
        initSync: fc.boolean(),
        broadcastBuffers: fc.boolean(),
        commHook: fc.constantFrom<NonNullable<NonNullable<ConfigInput['ddp']>['commHook']>[]>(
          { type: 'bf16Compress' },
          { type: 'powerSGD', startPowerSGDIter: 2 },
          { type: 'localSGD', startLocalSGDIter: 0 },
        ),
        syncBatchNorm: fc.boolean(),
        samplerSeed: size,
        setEpoch: fc.boolean(),
        rankSeeds: fc.constantFrom('same' as const, 'beforeModel' as const, 'afterModel' as const),
        noSync: fc.constantFrom('both' as const, 'forward' as const, 'backward' as const, 'none' as const),
        samplesPerRank: fc.constantFrom([10, 12], [3, 4, 5]),
        join: fc.boolean(),
        divideByInitialWorldSize: fc.boolean(),
      },
      some,
    ),
    modelParallel: fc.record({ split: fc.constantFrom([1, 4], [2, 3], [1, 2, 2]) }, some),
    parameterServer: fc.record({ synchronous: fc.boolean(), staleness: size }, some),
  },
  some,
);

/** What a mode needs beside NET, and half precision, which the reference follows. */
const runs = fc.record({
  idle: IDLE,
  accumulate: fc.constantFrom(1, 2),
  clipGradNorm: fc.constantFrom(undefined, 0.1),
});

function results(config: ConfigInput) {
  return withTraining(config, {}, async (training) => {
    const losses = await training.run(STEPS * (config.accumulate ?? 1));
    const { devices, reference } = await training.weights();
    return {
      worldSize: training.blueprint.config.worldSize,
      losses: losses.map(({ loss }) => loss),
      devices,
      reference,
    };
  });
}

test.each(MODES)('%s: sections that the mode does not read', place({ modes: [...MODES] }), async (mode) => {
  const own: ReadonlySet<string> = new Set(FACES[mode].sections);
  await fc.assert(
    fc.asyncProperty(runs, async ({ idle, accumulate, clipGradNorm }) => {
      const base: ConfigInput = {
        ...NET,
        mode,
        ...(mode === 'pipeline' ? { pipeline: { microBatches: 2 } } : { accumulate }),
        ...(clipGradNorm === undefined ? {} : { clipGradNorm }),
        dropLast: true,
      };
      const given = Object.fromEntries(Object.entries(idle).filter(([section]) => !own.has(section)));
      expect(await results({ ...base, ...given })).toEqual(await results(base));
    }),
    { numRuns: 12 },
  );
});

test(
  'a size of dpShard that is given or left open: one reference',
  place({ modes: ['sharded', 'tensor'] }),
  async () => {
    // MixedPrecisionPolicy refuses batch norm.
    const model = { layers: NET.model.layers.filter(({ type }) => type !== 'BatchNorm1d') };
    for (const sharded of [{ paramDtype: 'bfloat16' }, { reduceDtype: 'float16' }] as const) {
      const base: ConfigInput = { ...NET, model, sharded, accumulate: 2, dropLast: true };
      const open = await results({ ...base, mode: 'sharded', worldSize: 2 });
      expect(open.reference).toBeDefined();
      expect(await results({ ...base, mode: 'sharded', mesh: { dpShard: 2 } })).toEqual(open);
      const beside = await results({ ...base, mode: 'tensor', mesh: { dpShard: 2, tp: 1 } });
      expect(beside.reference).toEqual(open.reference);
    }
  },
);
