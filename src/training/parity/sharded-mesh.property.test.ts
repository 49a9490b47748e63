/**
 * fully_shard on random meshes: nets of whole layers and column/row pairs with any widths, in shards beside tp, train
 * like one device, send what the closed form says, and every Program is verified.
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

const STEPS = 4;
/** float32 sums in another order. */
const BAR = 1e-6;

const runs = fc.record({
  blocks: fc.array(block, { minLength: 2, maxLength: 3 }),
  mesh: fc.constantFrom(
    { dpReplicate: 1, dpShard: 2, tp: 2 },
    { dpReplicate: 1, dpShard: 3, tp: 2 },
    { dpReplicate: 1, dpShard: 2, tp: 3 },
    { dpReplicate: 2, dpShard: 2, tp: 2 },
  ),
  sharded: fc.constantFrom<NonNullable<ConfigInput['sharded']>[]>(
    {},
    { stage: 2 },
    { reshardAfterForward: true },
    { modules: ['0'] },
    { modules: [], reshardAfterForward: true },
    { prefetch: 2 },
    { prefetch: 0 },
    { syncEveryPass: false },
  ),
  clip: fc.constantFrom(undefined, 0.05, 1),
  algorithm: fc.constantFrom('ring', 'naive', 'halvingDoubling', 'tree'),
  accumulate: fc.constantFrom(1, 2),
  segments: fc.constantFrom(undefined, 2, 3),
});

test('any net on any mesh: the weights of one device', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(runs, async ({ blocks, mesh, sharded, clip, algorithm, accumulate, segments }) => {
    const { layers, plan } = netOf(blocks);
    const input: ConfigInput = {
      mode: 'sharded',
      mesh,
      sharded,
      tensor: { plan },
      device: 'cpu',
      model: { layers },
      data: { type: 'randomRegression', samples: 48, in: IN, out: blocks.at(-1)?.out ?? 1, testFraction: 0 },
      loss: { type: 'MSELoss' },
      optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
      batchSize: 24,
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
    expect(differenceFromSingle(blueprint, weights)).toBeLessThanOrEqual(BAR);
    // The sums of clipping are not in the closed form.
    if (clip === undefined) {
      const { bytesAgree, formula, traffic } = metricsOf(await training.trace(), 'modelled', sessionInfo(training));
      expect(bytesAgree, `${must(formula, 'formula').perDevice} B, counted ${traffic.sent} B`).toBe(true);
    }
    await training.dispose();
  });
  await fc.assert(property, { numRuns: 16 });
});
