/**
 * Mixed precision on random nets: tensors kept as halves have the bits of float32 tensors that are rounded after each
 * operator, and modes that leave the arithmetic alone leave its bits alone under autocast, too.
 *
 * @module-tag rest: mixed-precision.test.ts trains with autocast and a policy in the same modes.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { gatherRows } from '../../data/gather-rows';
import { runCpu } from '../../graph/testing/run-cpu';
import { stageGraph } from '../../parallel/stage-graph';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { allocate, elements } from '../../tensor/shape';
import { withTraining } from '../testing/checkpoint-runs';
import { mergedState } from '../weights/merged-weights';

const more = fc.constantFrom<LayerInput[][]>(
  [{ type: 'Tanh' }],
  [{ type: 'ReLU' }, { type: 'Residual', layers: [{ type: 'Linear', in: 4, out: 4 }] }],
  [{ type: 'LayerNorm', features: 4 }, { type: 'GELU' }],
  [{ type: 'BatchNorm1d', features: 4 }, { type: 'SiLU' }],
);

const netOf = (hidden: readonly LayerInput[][]): LayerInput[] => [
  { type: 'Linear', in: 2, out: 4 },
  ...hidden.flatMap((layers): LayerInput[] => [...layers, { type: 'Linear', in: 4, out: 4 }]),
  { type: 'Linear', in: 4, out: 1 },
];

const runs = fc.record({
  hidden: fc.array(more, { minLength: 2, maxLength: 3 }),
  precision: fc.constantFrom('autocast-bf16' as const, 'autocast-fp16' as const),
  loss: fc.constantFrom<ConfigInput['loss'][]>({ type: 'BCEWithLogitsLoss' }, { type: 'MSELoss' }),
  batchSize: fc.constantFrom(6, 7),
});

const baseOf = ({ hidden, precision, loss, batchSize }: typeof runs extends fc.Arbitrary<infer T> ? T : never) =>
  ({
    device: 'cpu',
    model: { layers: netOf(hidden) },
    data: { type: 'xor', samples: 42, testFraction: 0 },
    optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
    loss,
    precision,
    batchSize,
    dropLast: true,
    compareSingle: false,
  }) satisfies ConfigInput;

test(
  'stored as halves, a step has the bits of one that rounds after each operator',
  place({ modes: ['single'] }),
  async () => {
    await fc.assert(
      fc.asyncProperty(runs, async (run) => {
        const config: ConfigInput = { ...baseOf(run), mode: 'single' };
        await withTraining(config, {}, async (training) => {
          const { blueprint } = training;
          const { dataset, input, parameters, buffers } = blueprint;
          const rows = at(blueprint.batches().next().rows, 0);
          const { graph, parameters: reached } = stageGraph(input, { rows: rows.length, withLoss: true });
          const given = new Map(
            graph.values.flatMap(({ id, name, role, type }) => {
              const values = allocate(type.dtype, elements(type.shape));
              if (role === 'input') gatherRows(dataset.inputs, elements(input.inputShape), rows, values);
              else if (role === 'target') gatherRows(dataset.targets, elements(input.targetShape), rows, values);
              else if (role === 'seed') values.fill(1);
              else if (role === 'parameter' || role === 'buffer')
                values.set(
                  must(
                    [...parameters, ...buffers].find((each) => each.name === name),
                    name,
                  ).data,
                );
              else return [];
              return [[id, values] as const];
            }),
          );
          const naive = runCpu(graph, input.ops, given);
          const [loss] = await training.run(1);
          const held = new Map((await training.checkpoint()).values.map(({ buffer, data }) => [buffer, data]));
          const computed = (name: string) =>
            must(
              naive.get(
                must(
                  graph.values.find((value) => value.name === name),
                  name,
                ).id,
              ),
              name,
            );
          expect(loss?.loss).toBe(computed('loss')[0]);
          for (const { gradient } of reached) expect(held.get(gradient), gradient).toEqual(computed(gradient));
        });
      }),
      { numRuns: 12 },
    );
  },
);

/** As many as each run trains on: three steps or more. */
const ROWS = 36;

const weightsOf = (config: ConfigInput) =>
  withTraining(config, {}, async (training) => {
    await training.run((ROWS / (config.batchSize ?? ROWS)) * (config.accumulate ?? 1));
    return mergedState(training.blueprint, await training.weights());
  });

/** Modes and settings that change nothing of the arithmetic, with the run whose bits they have. */
const PAIRS: readonly (readonly [name: string, own: ConfigInput, expected: ConfigInput])[] = [
  ['fuse', { mode: 'single', fuse: true }, { mode: 'single' }],
  ['checkpointSegments', { mode: 'single', checkpointSegments: 2 }, { mode: 'single' }],
  ['modelParallel', { mode: 'modelParallel', worldSize: 2 }, { mode: 'single' }],
  [
    'modelParallel, accumulated',
    { mode: 'modelParallel', worldSize: 2, accumulate: 2 },
    { mode: 'single', accumulate: 2 },
  ],
  ['a parameter server with one worker', { mode: 'parameterServer', worldSize: 2 }, { mode: 'single' }],
  [
    'asynchronous workers, one after the other',
    { mode: 'parameterServer', worldSize: 3, parameterServer: { synchronous: false, staleness: 0 }, batchSize: 12 },
    { mode: 'single', batchSize: 6 },
  ],
  [
    // The scale takes back what `accumulate` divides the loss by, and the gradients are half as large when unscaled.
    'the replicas of DataParallel, each with an odd number of outputs',
    { mode: 'dataParallel', worldSize: 2, precision: 'autocast-fp16', loss: { type: 'MSELoss', reduction: 'sum' } },
    {
      mode: 'single',
      precision: 'autocast-fp16',
      accumulate: 2,
      loss: { type: 'MSELoss', reduction: 'sum' },
      gradScaler: { enabled: true, initScale: 2 },
      optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
    },
  ],
  [
    'pipeline',
    { mode: 'pipeline', worldSize: 2, pipeline: { microBatches: 1, schedule: 'GPipe' } },
    { mode: 'single' },
  ],
  [
    'micro-batches of a pipeline',
    { mode: 'pipeline', worldSize: 2, pipeline: { microBatches: 2, schedule: 'GPipe' } },
    { mode: 'single', accumulate: 2 },
  ],
  [
    'stages on the same rank',
    { mode: 'pipeline', worldSize: 2, pipeline: { microBatches: 2, schedule: 'LoopedBFS', stagesPerRank: 2 } },
    { mode: 'single', accumulate: 2 },
  ],
  [
    'a backward pass in two halves',
    { mode: 'pipeline', worldSize: 2, pipeline: { microBatches: 2, schedule: 'InterleavedZeroBubble' } },
    { mode: 'pipeline', worldSize: 2, pipeline: { microBatches: 2, schedule: 'Interleaved1F1B' } },
  ],
  ['sharded', { mode: 'sharded', worldSize: 2 }, { mode: 'ddp', worldSize: 2 }],
  [
    'a scale that is a power of two, in bfloat16',
    { mode: 'ddp', worldSize: 2, gradScaler: { enabled: true, initScale: 8 } },
    { mode: 'ddp', worldSize: 2 },
  ],
];

describe.each(PAIRS)('%s', (name, own, expected) => {
  test(
    'the same bits',
    place({ modes: ['single', 'ddp', 'pipeline', 'sharded', 'modelParallel', 'dataParallel', 'parameterServer'] }),
    async () => {
      await fc.assert(
        fc.asyncProperty(runs, async (run) => {
          // Half of a float16 number may have no place in float16.
          const halved = own.gradScaler !== undefined || expected.accumulate !== undefined;
          const base = { ...baseOf(run), batchSize: 6, ...(halved ? { precision: 'autocast-bf16' as const } : {}) };
          const [held, wanted] = [await weightsOf({ ...base, ...own }), await weightsOf({ ...base, ...expected })];
          for (const [parameter, values] of wanted) {
            // DataParallel keeps the running statistics of its first replica alone.
            if (own.mode === 'dataParallel' && /running_|tracked/.test(parameter)) continue;
            expect(held.get(parameter), `${name}: ${parameter}`).toEqual(values);
          }
        }),
        { numRuns: 4 },
      );
    },
  );
});

/** Nets without a norm: the policy casts the weights of norms, autocast does not. */
const policyRuns = fc.record({
  widths: fc.constantFrom([4], [3, 5], [5, 4, 3]),
  batchSize: fc.constantFrom(8, 12),
  stage: fc.constantFrom(2, 3),
  root: fc.boolean(),
  algorithm: fc.constantFrom('naive' as const, 'ring' as const),
});

/** A policy on two ranks, and what DDP does with the same gradients. */
const POLICIES: readonly (readonly [name: string, sharded: ConfigInput['sharded'], expected: ConfigInput])[] = [
  [
    'bfloat16, reduced in float32: the bits of DDP under autocast',
    { paramDtype: 'bfloat16', reduceDtype: 'float32' },
    { precision: 'autocast-bf16' },
  ],
  [
    'float16, reduced in float32, gradients added up over micro-batches',
    { paramDtype: 'float16', reduceDtype: 'float32', syncEveryPass: false },
    { precision: 'autocast-fp16', accumulate: 2 },
  ],
  [
    'bfloat16 alone: the bits of DDP under autocast with bf16_compress_hook',
    { paramDtype: 'bfloat16' },
    { precision: 'autocast-bf16', ddp: { commHook: { type: 'bf16Compress' } } },
  ],
  [
    'float16 alone: divided before the sum, as fp16_compress_hook does',
    { paramDtype: 'float16' },
    { precision: 'autocast-fp16', ddp: { commHook: { type: 'fp16Compress' } } },
  ],
  [
    'float32, reduced in bfloat16: the bits of DDP with bf16_compress_hook',
    { reduceDtype: 'bfloat16' },
    { ddp: { commHook: { type: 'bf16Compress' } } },
  ],
];

describe.each(POLICIES)('MixedPrecisionPolicy: %s', (_, policy, expected) => {
  test('the same bits', place({ modes: ['sharded'] }), async () => {
    await fc.assert(
      fc.asyncProperty(policyRuns, async ({ widths, batchSize, algorithm, stage, root }) => {
        const { accumulate = 1 } = expected;
        const base: ConfigInput = {
          ...baseOf({ hidden: [], precision: 'autocast-bf16', loss: { type: 'BCEWithLogitsLoss' }, batchSize: 6 }),
          batchSize,
          model: { layers: mlpLayers([2, ...widths, 1], 'Tanh') },
          precision: 'float32',
          worldSize: 2,
          accumulate,
        };
        const sharded = { ...policy, stage, ...(root && stage === 3 ? { reshardAfterForward: true } : {}) };
        const held = await weightsOf({ ...base, mode: 'sharded', sharded, ddp: { algorithm } });
        const wanted = await weightsOf({ ...base, ...expected, mode: 'ddp', ddp: { ...expected.ddp, algorithm } });
        for (const [parameter, data] of wanted) expect(held.get(parameter), parameter).toEqual(data);
      }),
      { numRuns: 4 },
    );
  });
});

test('on three and four ranks a sum of halves is near the sum in float32', place({ modes: ['sharded'] }), async () => {
  for (const worldSize of [3, 4]) {
    const base: ConfigInput = {
      ...baseOf({ hidden: [], precision: 'autocast-bf16', loss: { type: 'BCEWithLogitsLoss' }, batchSize: 6 }),
      batchSize: 12,
      model: { layers: mlpLayers([2, 5, 3, 1], 'Tanh') },
      precision: 'float32',
      mode: 'sharded',
      worldSize,
    };
    for (const paramDtype of ['bfloat16', 'float16'] as const) {
      const low = await weightsOf({ ...base, sharded: { paramDtype } });
      const wide = await weightsOf({ ...base, sharded: { paramDtype, reduceDtype: 'float32' } });
      for (const [name, data] of wide) {
        const far = data.map((value, i) => Math.abs(value - at(must(low.get(name), name), i)));
        expect(Math.max(...far), `${name}, ${worldSize} ranks`).toBeLessThan(2e-3);
        expect(low.get(name)).not.toEqual(data);
      }
    }
  }
});
