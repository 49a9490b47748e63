/**
 * fully_shard on random meshes: nets of whole layers and column/row pairs with any widths, in shards beside tp, around
 * the stages of a pipeline in any order, and both, in float32 and in half precision, train like one device, send what
 * the closed form says, and every Program is verified.
 *
 * @module-tag rest: sharded-mesh.test.ts trains on chosen meshes.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import { PROGRAM_OPS } from '../../parallel/modes';
import { planMemory } from '../../program/memory-planner';
import { verify } from '../../program/verifier';
import type { ConfigInput } from '../../protocol/config';
import { metricsOf } from '../../trace/metrics';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { block, IN, netOf } from '../testing/cut-nets';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

type Schedule = NonNullable<NonNullable<ConfigInput['pipeline']>['schedule']>;

const STEPS = 4;
/** float32 sums in another order; in half precision what the ranks add up is rounded before. */
const BARS = { float32: 1e-6, bf16: 0.005, fp16: 0.001 } as const;

const PRECISIONS = {
  float32: {},
  bf16: { precision: 'autocast-bf16' },
  fp16: { precision: 'autocast-fp16' },
} as const;
const POLICIES = { float32: {}, bf16: { paramDtype: 'bfloat16' }, fp16: { paramDtype: 'float16' } } as const;

const runs = fc.record({
  blocks: fc.oneof(fc.array(block, { minLength: 2, maxLength: 3 }), fc.array(block, { minLength: 4, maxLength: 4 })),
  mesh: fc.constantFrom(
    { pp: 1, dpReplicate: 1, dpShard: 2, tp: 2 },
    { pp: 1, dpReplicate: 1, dpShard: 3, tp: 2 },
    { pp: 1, dpReplicate: 1, dpShard: 2, tp: 3 },
    { pp: 1, dpReplicate: 2, dpShard: 2, tp: 2 },
    { pp: 2, dpReplicate: 1, dpShard: 2, tp: 1 },
    { pp: 2, dpReplicate: 1, dpShard: 3, tp: 1 },
    { pp: 2, dpReplicate: 2, dpShard: 2, tp: 1 },
    { pp: 2, dpReplicate: 1, dpShard: 2, tp: 2 },
  ),
  sharded: fc.constantFrom<NonNullable<ConfigInput['sharded']>[]>(
    {},
    { stage: 2 },
    { reshardAfterForward: true },
    { modules: ['0'] },
    { modules: [], reshardAfterForward: true },
    { prefetch: 2 },
    { prefetch: 1, modules: ['1', '0'] },
    { prefetch: 0 },
    { syncEveryPass: false },
  ),
  clip: fc.constantFrom(undefined, 0.05, 1),
  algorithm: fc.constantFrom('ring', 'naive', 'halvingDoubling', 'tree'),
  /** In mode tensor, which runs the same where it has shards. */
  isTensor: fc.boolean(),
  accumulate: fc.constantFrom(1, 2),
  microBatches: fc.constantFrom(2, 4),
  schedule: fc.constantFrom('GPipe', '1F1B', 'LoopedBFS', 'Interleaved1F1B', 'InterleavedZeroBubble', 'ZBVZeroBubble'),
  segments: fc.constantFrom(undefined, 2, 3),
  type: fc.constantFrom('float32', 'float32', 'bf16', 'fp16'),
  /** Else autocast. */
  byPolicy: fc.boolean(),
});

const ONE_STAGE_EACH: ReadonlySet<string> = new Set(['GPipe', '1F1B']);

/** `sizes`: layers of each block. The stages are as many as the schedule has. */
function pipelineOf(
  { schedule, microBatches }: { readonly schedule: Schedule; readonly microBatches: number },
  sizes: readonly number[],
): NonNullable<ConfigInput['pipeline']> {
  const [first = 1, ...rest] = sizes;
  const two = { microBatches, split: [first, rest.reduce((a, b) => a + b, 0)] };
  if (ONE_STAGE_EACH.has(schedule)) return { ...two, schedule };
  return sizes.length < 4 ? { ...two, schedule: '1F1B' } : { microBatches, schedule, split: [...sizes] };
}

test('any net on any mesh: the weights of one device', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(
    runs,
    async ({ blocks, mesh, sharded, clip, algorithm, segments, type, ...run }) => {
      const { layers, plan, sizes } = netOf(blocks, mesh.tp);
      const { pp, ...others } = mesh;
      const accumulate = pp > 1 ? 1 : run.accumulate;
      const input: ConfigInput = {
        ...(pp > 1
          ? { mode: 'pipeline', mesh, pipeline: pipelineOf(run, sizes) }
          : { mode: run.isTensor ? 'tensor' : 'sharded', mesh: others }),
        sharded: { ...sharded, ...(run.byPolicy ? POLICIES[type] : {}) },
        ...(run.byPolicy ? {} : PRECISIONS[type]),
        tensor: { plan },
        device: 'cpu',
        model: { layers },
        data: { type: 'randomRegression', samples: 96, in: IN, out: blocks.at(-1)?.out ?? 1, testFraction: 0 },
        loss: { type: 'MSELoss' },
        optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
        // Every micro-batch has as many rows.
        batchSize: 48,
        accumulate,
        dropLast: true,
        ddp: { algorithm },
        ...(clip === undefined ? {} : { clipGradNorm: clip }),
        ...(segments === undefined ? {} : { checkpointSegments: segments }),
      };
      const blueprint = createBlueprint(parseConfig(input), {});
      for (const program of blueprint.programs) expect(() => verify(program, PROGRAM_OPS)).not.toThrow();
      expect(planMemory(blueprint.programs).size).toBe(blueprint.config.worldSize);
      const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
      await training.run(STEPS * accumulate);
      const weights = await training.weights();
      expect(replicaDivergence(blueprint, weights)).toBe(0);
      expect(differenceFromSingle(blueprint, weights)).toBeLessThanOrEqual(BARS[type]);
      // The sums of clipping are not in the closed form.
      if (clip === undefined) {
        const { bytesAgree, formula, traffic } = metricsOf(await training.trace(), 'modelled', sessionInfo(training));
        expect(bytesAgree, `${must(formula, 'formula').perDevice} B, counted ${traffic.sent} B`).toBe(true);
      }
      await training.dispose();
    },
  );
  await fc.assert(property, { numRuns: 16 });
});
