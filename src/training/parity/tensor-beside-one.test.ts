/**
 * Tensor groups beside one device: gradients that are addends on the ranks are summed once per step, however many
 * micro-batches the step has; and a plan that cuts nothing gives the bits of one device, also under autocast.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import type { ConfigInput } from '../../protocol/config';
import { metricsOf } from '../../trace/metrics';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

/** How far four steps are from those of one device, and whether the bytes are those of the formula. */
async function besideOne(config: ConfigInput) {
  const blueprint = createBlueprint(parseConfig({ mode: 'tensor', mesh: { tp: 2 }, device: 'cpu', ...config }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  await training.run(4 * blueprint.config.accumulate);
  const weights = await training.weights();
  const { bytesAgree } = metricsOf(await training.trace(), 'modelled', sessionInfo(training));
  await training.dispose();
  return {
    fromSingle: differenceFromSingle(blueprint, weights),
    divergence: replicaDivergence(blueprint, weights),
    bytesAgree,
  };
}

/** Each rank hands on its tokens of the sequence. */
const BY_TOKENS = { style: 'RowwiseParallel', inputLayouts: 'Replicate', outputLayouts: 'Shard(1)' } as const;

const TEXT: ConfigInput = {
  batchSize: 12,
  model: {
    layers: [
      { type: 'TokenEmbedding', vocab: 4, context: 4, width: 6, name: '' },
      { type: 'LayerNorm', features: 6, name: 'ln' },
      { type: 'Linear', in: 6, out: 4, name: 'head' },
    ],
  },
  data: { type: 'text', text: 'abcdabcdaabbccddabcdabcd'.repeat(4), context: 4 },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.3 },
  tensor: { plan: { tok: BY_TOKENS, pos: BY_TOKENS, ln: 'SequenceParallel' } },
};

test.each<ConfigInput>([
  { accumulate: 1 },
  { accumulate: 3 },
  { accumulate: 6 },
  { accumulate: 3, mesh: { dpReplicate: 2, tp: 2 }, clipGradNorm: 0.1 },
])('sequence parallelism with %j trains like one device', place({ modes: ['tensor'] }), async (more) => {
  const { fromSingle, divergence, bytesAgree } = await besideOne({ ...TEXT, ...more });
  expect(fromSingle).toBeLessThanOrEqual(1e-6);
  expect(divergence).toBe(0);
  expect(bytesAgree).toBe(true);
});

/** Both branches of the residual read the same float32 tensor: autocast casts it for each of them. */
const RESIDUAL: ConfigInput = {
  batchSize: 6,
  model: {
    layers: [
      { type: 'LayerNorm', features: 4 },
      {
        type: 'Residual',
        layers: [{ type: 'Linear', in: 4, out: 6 }, { type: 'Tanh' }, { type: 'Linear', in: 6, out: 5 }],
        shortcut: [{ type: 'Linear', in: 4, out: 5 }],
      },
      { type: 'Linear', in: 5, out: 2 },
    ],
  },
  data: { type: 'randomRegression', samples: 24, in: 4, out: 2 },
  loss: { type: 'MSELoss' },
};

test.each(['float32', 'autocast-bf16', 'autocast-fp16'] as const)(
  'a plan that cuts nothing has the bits of one device: %s',
  place({ modes: ['tensor'] }),
  async (precision) => {
    for (const config of [RESIDUAL, TEXT]) {
      const { fromSingle } = await besideOne({ ...config, precision, tensor: { plan: {} } });
      expect(fromSingle).toBe(0);
    }
  },
);
