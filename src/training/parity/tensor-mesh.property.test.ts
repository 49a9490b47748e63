/**
 * Tensor parallelism on random meshes: nets of whole layers and column/row pairs with any widths, cut over tp, beside
 * replicas and pipeline stages, train like one device, also under autocast, and send what the formula says.
 *
 * @module-tag rest: tensor-mesh.test.ts trains on chosen meshes.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import type { ConfigInput } from '../../protocol/config';
import { metricsOf } from '../../trace/metrics';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { block, IN, netOf } from '../testing/cut-nets';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const STEPS = 4;
/** float32 sums in another order; under autocast the ranks' addends are rounded before they are added up. */
const BARS = { float32: 1e-6, 'autocast-bf16': 0.005, 'autocast-fp16': 0.001 } as const;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const runs = fc.record({
  blocks: fc.array(block, { minLength: 2, maxLength: 3 }),
  mesh: fc.constantFrom([1, 1, 3], [1, 2, 2], [2, 1, 2], [2, 2, 2], [1, 2, 3], [2, 1, 3]),
  clip: fc.constantFrom(undefined, 0.05, 1),
  algorithm: fc.constantFrom('ring', 'naive', 'halvingDoubling', 'tree'),
  bucketCapMb: fc.constantFrom(0.00005, 25),
  segments: fc.constantFrom(undefined, 2, 3),
  precision: fc.constantFrom('float32', 'float32', 'autocast-bf16', 'autocast-fp16'),
});

test('any net on any mesh: the weights of one device', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(
    runs,
    async ({ blocks, mesh, clip, algorithm, bucketCapMb, segments, precision }) => {
      const [pp = 1, dpReplicate = 1, tp = 1] = mesh;
      const { layers, plan, sizes } = netOf(blocks, tp);
      const [first = 1, ...rest] = sizes;
      const input: ConfigInput = {
        ...(pp > 1
          ? { mode: 'pipeline', pipeline: { microBatches: 2, split: [first, sum(rest)] } }
          : { mode: 'tensor' }),
        mesh: { ...(pp > 1 ? { pp } : {}), dpReplicate, tp },
        tensor: { plan },
        device: 'cpu',
        model: { layers },
        data: { type: 'randomRegression', samples: 24, in: IN, out: blocks.at(-1)?.out ?? 1 },
        loss: { type: 'MSELoss' },
        optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
        batchSize: 8,
        precision,
        ddp: { algorithm, bucketCapMb },
        ...(clip === undefined ? {} : { clipGradNorm: clip }),
        ...(segments === undefined ? {} : { checkpointSegments: segments }),
      };
      const blueprint = createBlueprint(parseConfig(input), {});
      const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
      await training.run(STEPS);
      const weights = await training.weights();
      expect(replicaDivergence(blueprint, weights)).toBe(0);
      expect(differenceFromSingle(blueprint, weights)).toBeLessThanOrEqual(BARS[precision]);
      const trace = await training.trace();
      expect(metricsOf(trace, 'modelled', sessionInfo(training)).bytesAgree).toBe(true);
      await training.dispose();
    },
  );
  await fc.assert(property, { numRuns: 16 });
});
