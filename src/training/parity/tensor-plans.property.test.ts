/**
 * Any plan of an MLP's layers, also one that brings tensors back and forth: on every mesh and in every precision it
 * trains like one device, and sends what the closed form says. A plan that leaves a rank without a part is refused.
 *
 * @module-tag rest: tensor-pair.test.ts and layouts.test.ts train with chosen plans.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import { PROGRAM_OPS } from '../../parallel/modes';
import { verify } from '../../program/verifier';
import type { ConfigInput } from '../../protocol/config';
import type { StyleConfig } from '../../protocol/config/tensor';
import { mlpLayers } from '../../protocol/presets';
import { metricsOf } from '../../trace/metrics';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const STEPS = 3;
/** float32 sums in another order; under autocast the ranks' addends are rounded before they are added up. */
const BARS = { float32: 1e-6, 'autocast-bf16': 0.005, 'autocast-fp16': 0.001 } as const;

const WHOLE_INPUT: StyleConfig = { style: 'PrepareModuleInput', desiredInputLayouts: 'Replicate' };
const WHOLE_OUTPUT: StyleConfig = { style: 'PrepareModuleOutput', desiredOutputLayouts: 'Replicate' };
const CUT_OUTPUT: StyleConfig = { style: 'PrepareModuleOutput', desiredOutputLayouts: 'Shard(-1)' };

const ofLinear = fc.constantFrom<(StyleConfig | undefined)[]>(
  undefined,
  'ColwiseParallel',
  'ColwiseParallel',
  'RowwiseParallel',
  'RowwiseParallel',
  { style: 'ColwiseParallel', outputLayouts: 'Replicate' },
  { style: 'RowwiseParallel', outputLayouts: 'Shard(-1)' },
  WHOLE_INPUT,
  CUT_OUTPUT,
);
const ofActivation = fc.constantFrom<(StyleConfig | undefined)[]>(
  undefined,
  undefined,
  { style: 'PrepareModuleInput', desiredInputLayouts: 'Shard(-1)' },
  WHOLE_INPUT,
  WHOLE_OUTPUT,
  CUT_OUTPUT,
);

const MESHES = [
  {},
  { dpReplicate: 2 },
  { dpShard: 2 },
  { pp: 2 },
  { pp: 2, dpShard: 2 },
] as const satisfies readonly ConfigInput['mesh'][];

const runs = fc.record({
  widths: fc.array(fc.integer({ min: 3, max: 8 }), { minLength: 3, maxLength: 5 }),
  styles: fc.array(fc.tuple(ofLinear, ofActivation), { minLength: 4, maxLength: 4 }),
  tp: fc.constantFrom(2, 3),
  mesh: fc.constantFrom(...MESHES),
  precision: fc.constantFrom('float32', 'autocast-bf16', 'autocast-fp16'),
  rows: fc.integer({ min: 2, max: 7 }),
  segments: fc.constantFrom(undefined, 1, 2, 3),
  fuse: fc.boolean(),
  accumulate: fc.constantFrom(1, 2),
});

test('any plan on any mesh: the weights of one device', { timeout: 120_000 }, async () => {
  let trained = 0;
  const property = fc.asyncProperty(runs, async ({ widths, styles, tp, mesh, precision, rows, ...run }) => {
    const layers = mlpLayers(widths, 'Tanh');
    const entries = styles.flat().slice(0, layers.length);
    const inStages = 'pp' in mesh;
    const input: ConfigInput = {
      ...(inStages ? { mode: 'pipeline', pipeline: { microBatches: 2 } } : { mode: 'tensor' }),
      mesh: { ...mesh, tp },
      tensor: { plan: Object.fromEntries(entries.flatMap((entry, i) => (entry ? [[i, entry]] : []))) },
      device: 'cpu',
      precision,
      model: { layers },
      data: { type: 'randomRegression', samples: 48, in: at(widths, 0), out: at(widths, widths.length - 1) },
      loss: { type: 'MSELoss' },
      // Every micro-batch has as many rows.
      batchSize: inStages ? 8 : 4 * rows,
      dropLast: true,
      accumulate: inStages ? 1 : run.accumulate,
      fuse: run.fuse,
      ...(run.segments === undefined ? {} : { checkpointSegments: run.segments }),
    };
    fc.pre(!leavesNothing(input));
    const blueprint = createBlueprint(parseConfig(input), {});
    for (const program of blueprint.programs) expect(() => verify(program, PROGRAM_OPS)).not.toThrow();
    const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
    await training.run(STEPS * blueprint.config.accumulate);
    const weights = await training.weights();
    expect(replicaDivergence(blueprint, weights)).toBe(0);
    expect(differenceFromSingle(blueprint, weights)).toBeLessThanOrEqual(BARS[precision]);
    expect(metricsOf(await training.trace(), 'modelled', sessionInfo(training)).bytesAgree).toBe(true);
    await training.dispose();
    trained++;
  });
  await fc.assert(property, { numRuns: 60 });
  expect(trained).toBeGreaterThanOrEqual(60);
});

/** 4 features over 3 ranks are 2, 2 and none. */
function leavesNothing(input: ConfigInput): boolean {
  try {
    createBlueprint(parseConfig(input), {});
    return false;
  } catch (error) {
    if (String(error).includes('without a part')) return true;
    throw error;
  }
}
