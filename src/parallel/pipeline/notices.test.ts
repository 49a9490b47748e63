/** Each notice where its cause is there, and none where PyTorch runs the same. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers, PRESETS } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';

const OURS = [
  'batch-uneven',
  'micro-batches-uneven',
  'pipeline-last-batch',
  'pipeline-batch-norm',
  'pipeline-dropout',
  'sum-loss',
  'unscaled-gradients',
  'ddp-around-stages',
  'ddp-of-stages',
  'plan-names-no-module',
  'nothing-cut',
  'gathers-between',
  'stage-ends-in-view',
  'pipeline-shards-halves',
  'whole-at-border',
  'losses-out-of-order',
];

/** Flatten is layer 2. */
const IMAGES: ConfigInput = {
  model: {
    layers: [
      { type: 'Conv2d', in: 1, out: 2, kernel: 3 },
      { type: 'Tanh' },
      { type: 'Flatten' },
      { type: 'Linear', in: 8, out: 4 },
      { type: 'Tanh' },
      { type: 'Linear', in: 4, out: 3 },
      { type: 'Tanh' },
      { type: 'Linear', in: 3, out: 3 },
    ],
  },
  data: { type: 'prototypes', samples: 64, classes: 3, size: 4 },
  loss: { type: 'CrossEntropyLoss' },
};
const ZERO_BUBBLE = { schedule: 'InterleavedZeroBubble', microBatches: 4 } as const;

const noticesOf = (input: ConfigInput) =>
  createBlueprint(
    parseConfig({
      mode: 'pipeline',
      worldSize: 2,
      model: { layers: mlpLayers([2, 4, 4, 1], 'Tanh') },
      data: { type: 'xor', samples: 64 },
      batchSize: 32,
      ...input,
    }),
    {},
  ).notices.filter(({ id }) => OURS.includes(id));

/** Linear layers are 0, 2, 4, 5. */
const CUT: ConfigInput = {
  model: { layers: [...mlpLayers([2, 6, 4, 6], 'Tanh'), { type: 'Linear', in: 6, out: 1 }] },
  worldSize: 4,
  mesh: { pp: 2, tp: 2 },
  tensor: {
    plan: {
      0: { style: 'ColwiseParallel', outputLayouts: 'Replicate' },
      2: { style: 'RowwiseParallel', inputLayouts: 'Replicate' },
    },
  },
};

const cases: readonly [name: string, input: ConfigInput, ids: readonly string[]][] = [
  ['what PyTorch runs the same', {}, []],
  [
    'parts of different widths at the border of two stages',
    {
      model: { layers: mlpLayers([2, 5, 3, 1], 'Tanh') },
      ...{ worldSize: 4, mesh: { pp: 2, tp: 2 }, pipeline: { split: [2, 3] } },
    },
    ['whole-at-border'],
  ],
  [
    'a schedule whose last stage begins with micro-batch 1',
    { pipeline: { schedule: 'own', microBatches: 2, actions: '0F0,0F1,0B0,0B1\n1F1,1F0,1B0,1B1' } },
    ['losses-out-of-order'],
  ],
  [
    'a schedule whose first stage begins with micro-batch 1',
    { pipeline: { schedule: 'own', microBatches: 2, actions: '0F1,0F0,0B0,0B1\n1F0,1F1,1B0,1B1' } },
    [],
  ],
  ['a batch that M does not divide', { pipeline: { microBatches: 6 } }, ['micro-batches-uneven']],
  ['a short last batch', { data: { type: 'xor', samples: 72 } }, ['pipeline-last-batch']],
  ['a short last batch that is dropped', { data: { type: 'xor', samples: 72 }, dropLast: true }, []],
  [
    'a batch that dp does not divide',
    { mesh: { dp: 2 }, batchSize: 33, pipeline: { microBatches: 4 } },
    ['batch-uneven'],
  ],
  ['Flatten, which begins the next stage by itself', { ...IMAGES, pipeline: ZERO_BUBBLE }, []],
  [
    'a stage that ends with Flatten, in halves of backward',
    { ...IMAGES, pipeline: { ...ZERO_BUBBLE, split: [3, 2, 2, 1] } },
    ['stage-ends-in-view'],
  ],
  [
    'a stage that ends with a cut layer, in halves of backward',
    { ...CUT, pipeline: { ...ZERO_BUBBLE, split: [1, 2, 2, 1] } },
    ['stage-ends-in-view'],
  ],
  [
    'stages that end with activations, in halves of backward',
    { ...CUT, pipeline: { ...ZERO_BUBBLE, split: [2, 2, 1, 1] } },
    [],
  ],
  ['a stage that ends with a cut layer', { ...CUT, pipeline: { microBatches: 4, split: [1, 5] } }, []],
  ['a stage that ends with Flatten', { ...IMAGES, pipeline: { microBatches: 4, split: [3, 5] } }, []],
  [
    'fully_shard around stages, in halves of backward',
    { ...IMAGES, worldSize: 4, mesh: { pp: 2, dpShard: 2 }, pipeline: ZERO_BUBBLE },
    ['pipeline-shards-halves'],
  ],
  ['fully_shard around stages', { worldSize: 4, mesh: { pp: 2, dpShard: 2 }, pipeline: { microBatches: 4 } }, []],
  ['a summed loss', { loss: { type: 'BCEWithLogitsLoss', reduction: 'sum' } }, ['sum-loss']],
  ['no scale_grads', { pipeline: { scaleGrads: false } }, ['unscaled-gradients']],
  ['DDP with GPipe', { worldSize: 4, mesh: { dp: 2 }, pipeline: { schedule: 'GPipe' } }, ['ddp-around-stages']],
  [
    'DDP with as many micro-batches as stages',
    { worldSize: 4, mesh: { dp: 2 }, pipeline: { microBatches: 2 } },
    ['ddp-around-stages'],
  ],
  ['DDP with 1F1B', { worldSize: 4, mesh: { dp: 2 } }, []],
  ['layers that tp cuts, by the plan made for the model', { worldSize: 4, mesh: { tp: 2 } }, []],
  [
    'a plan that names no module',
    { worldSize: 4, mesh: { tp: 2 }, tensor: { plan: { head: 'ColwiseParallel' } } },
    ['plan-names-no-module', 'nothing-cut'],
  ],
  [
    'a layer cut by columns whose reader is whole',
    { worldSize: 4, mesh: { tp: 2 }, tensor: { plan: { '0': 'ColwiseParallel' } } },
    ['gathers-between'],
  ],
];

test.each(cases)('%s', (_, input, ids) => {
  expect(noticesOf(input).map(({ id }) => id)).toEqual(ids);
});

test.each([
  [{ join: true }, 'ddp.join has no effect in mode pipeline: join() repeats only'],
  [{ noSync: 'none' }, 'the schedule itself calls no_sync()'],
  [{ staticGraph: true }, 'PyTorch 2.13 runs static_graph here and computes other gradients'],
  [{ gradientAsBucketView: true, commHook: { type: 'fp16Compress' } }, 'the hook needs a bucket that is a copy'],
  [{ commHook: { type: 'powerSGD', startPowerSGDIter: 1 } }, 'Expect `start_powerSGD_iter` > 1'],
] as const)('a DDP setting that does not count around stages says why: %o', (ddp, words) => {
  const [notice, ...rest] = noticesOf({ worldSize: 4, mesh: { dp: 2 }, ddp });
  expect(rest).toEqual([]);
  expect(notice?.text).toContain(words);
});

test('DDP settings that count around stages: no notice with replicas, one without', () => {
  const ddp = { gradientAsBucketView: true, findUnusedParameters: true, commHook: { type: 'localSGD' } } as const;
  expect(noticesOf({ worldSize: 4, mesh: { dp: 2 }, ddp })).toEqual([]);
  expect(noticesOf({ ddp }).map(({ text }) => text)).toEqual([
    expect.stringContaining('have no effect in a pipeline without replicas'),
  ]);
});

test('batch norm: how often its statistics are updated; dropout: whose masks', () => {
  const { config } = PRESETS.cnn;
  const [norm, ...rest] = noticesOf({ ...config, data: { type: 'digits', samples: 80 } });
  expect(rest).toEqual([]);
  expect(norm?.id).toBe('pipeline-batch-norm');
  expect(norm?.text).toContain('updates its running statistics 8 times in a step');
  const layers = [
    { type: 'Linear' as const, in: 2, out: 4 },
    { type: 'Dropout' as const },
    { type: 'Linear' as const, in: 4, out: 1 },
  ];
  expect(noticesOf({ model: { layers } }).map(({ id }) => id)).toEqual(['pipeline-dropout']);
});
