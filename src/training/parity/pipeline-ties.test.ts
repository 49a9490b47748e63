/**
 * A GPT whose output layer shares the weight of its embedding, cut into a pipeline: the first and the last stage each
 * have a copy, the copies stay equal to the bit, and the run is that of one device within rounding.
 */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { gptLayers } from '../../protocol/presets';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const text =
  'in which the first stage and the last one share what they know of letters, and add up what they learn. '.repeat(4);
const vocab = new Set(text).size;

const layers = gptLayers({ vocab, context: 4, width: 8, heads: 2, layers: 2 }).map((layer) =>
  layer.type === 'Linear' ? { ...layer, bias: false, tied: 'tok.weight' } : layer,
);

/** The embedding's weight once more in the middle and at the end. */
const threeTimes = [
  { type: 'TokenEmbedding', vocab, context: 4, width: vocab, name: '' },
  { type: 'Linear', in: vocab, out: vocab, bias: false, tied: 'tok.weight', name: 'mid' },
  { type: 'LayerNorm', features: vocab, name: 'ln' },
  { type: 'Linear', in: vocab, out: vocab, bias: false, tied: 'tok.weight', name: 'head' },
] as const;

const gpt: ConfigInput = {
  model: { layers },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  clipGradNorm: 0.5,
  data: { type: 'text', text, context: 4 },
  batchSize: 8,
  dropLast: true,
  mode: 'pipeline',
  device: 'cpu',
};

test.each<[string, ConfigInput]>([
  ['two ranks of their own', { mesh: { pp: 3 }, pipeline: { schedule: '1F1B', microBatches: 4, split: [1, 1, 3] } }],
  ['a stage that has nothing but the shared weight', { mesh: { pp: 2 }, pipeline: { microBatches: 4, split: [4, 1] } }],
  [
    'both stages on one rank',
    { mesh: { pp: 2 }, pipeline: { schedule: 'ZBVZeroBubble', microBatches: 4, split: [1, 1, 1, 2] } },
  ],
  ['replicas', { mesh: { pp: 2, dp: 2 }, pipeline: { microBatches: 2, split: [2, 3] } }],
  [
    'replicas, both stages on one rank',
    { mesh: { pp: 2, dp: 2 }, pipeline: { schedule: 'DualPipeV', microBatches: 4, split: [1, 1, 1, 2] } },
  ],
  [
    'three stages, two of them on one rank',
    {
      mesh: { pp: 2, dp: 2 },
      pipeline: { schedule: 'Interleaved1F1B', microBatches: 2, split: [1, 1, 1, 1] },
      model: { layers: [...threeTimes] },
    },
  ],
  [
    'three ranks',
    {
      mesh: { pp: 3 },
      pipeline: { schedule: 'GPipe', microBatches: 4, split: [1, 1, 2] },
      model: { layers: [...threeTimes] },
    },
  ],
])('%s', async (_, more) => {
  const blueprint = createBlueprint(parseConfig({ ...gpt, ...more }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const records = await training.run(6);
  const weights = await training.weights();
  await training.dispose();
  expect(replicaDivergence(blueprint, weights)).toBe(0);
  expect(differenceFromSingle(blueprint, weights)).toBeLessThan(2e-6);
  expect(records.at(-1)?.loss).toBeLessThan(records[0]?.loss ?? 0);
});
