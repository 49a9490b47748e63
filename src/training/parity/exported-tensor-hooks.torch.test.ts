/**
 * Communication hooks of mode tensor with replicas: DDP around the parts of each rank, in PyTorch and in the run, with
 * losses of every rank and final weights. Needs a torch with DTensor (2.6).
 */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { gptLayers, mlpLayers } from '../../protocol/presets';
import { exportedApart } from '../testing/exported-apart';
import { pythonWithTorch, sayNoTorch } from '../testing/torch-scripts';

const RUN: ConfigInput = {
  ...{ device: 'cpu', compareSingle: false, seed: 4, steps: 6, batchSize: 16, dropLast: true },
  ...{ mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 } },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
};
const MLP: ConfigInput = {
  ...RUN,
  model: { layers: mlpLayers([6, 8, 8, 8, 3], 'Tanh') },
  data: { type: 'prototypes', samples: 64, classes: 3, features: 6 },
  loss: { type: 'CrossEntropyLoss' },
};
const TEXT = 'the cat saw a hat; a dog ate the ham; '.repeat(8);
const VOCAB = new Set(TEXT).size;
const LAYERS = gptLayers({ vocab: VOCAB, context: 4, width: 8, heads: 2, layers: 2 });
const GPT: ConfigInput = {
  ...RUN,
  model: { layers: LAYERS },
  data: { type: 'text', text: TEXT, context: 4 },
  loss: { type: 'CrossEntropyLoss' },
};
const TIED: ConfigInput = {
  ...GPT,
  model: {
    layers: [
      ...LAYERS.slice(0, -1),
      { type: 'Linear', in: 8, out: VOCAB, bias: false, tied: 'tok.weight', name: 'head' } as const,
    ],
  },
};
const POWER = {
  commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.5, matrixApproximationRank: 1 },
} as const;
const SMALL = { ...POWER, bucketCapMb: 0.0001 };
const LOCAL = { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 1 } } as const;
const FP16 = { commHook: { type: 'fp16Compress' } } as const;
/** The gradients of `pos` and of the layer norms are addends along tp. */
const SEQUENCE: ConfigInput['tensor'] = {
  plan: {
    tok: { style: 'RowwiseParallel', outputLayouts: 'Shard(1)' },
    pos: { style: 'RowwiseParallel', outputLayouts: 'Shard(1)' },
    'blocks.*.ln1': 'SequenceParallel',
    'blocks.*.qkv': 'ColwiseParallel',
    'blocks.*.proj': { style: 'RowwiseParallel', outputLayouts: 'Shard(1)' },
    'blocks.*.ln2': 'SequenceParallel',
    'blocks.*.fc1': 'ColwiseParallel',
    'blocks.*.fc2': { style: 'RowwiseParallel', outputLayouts: 'Shard(1)' },
    ln_f: 'SequenceParallel',
    head: 'ColwiseParallel',
  },
};

type Case = readonly [name: string, config: ConfigInput];
const CASES: readonly Case[] = [
  ['PowerSGD', { ...MLP, ddp: POWER }],
  ['PowerSGD, small buckets', { ...MLP, ddp: SMALL }],
  ['PowerSGD, accumulated, clipped', { ...MLP, ddp: SMALL, accumulate: 2, clipGradNorm: 0.3 }],
  [
    'PowerSGD, 3 replicas, no error feedback',
    {
      ...MLP,
      batchSize: 18,
      mesh: { tp: 2, dpReplicate: 3 },
      ddp: { commHook: { ...POWER.commHook, useErrorFeedback: false, warmStart: false, startPowerSGDIter: 1 } },
    },
  ],
  ['PowerSGD, unused', { ...MLP, ddp: { ...SMALL, findUnusedParameters: true } }],
  ['PowerSGD, GPT', { ...GPT, ddp: SMALL }],
  ['PowerSGD, GPT, shared weight', { ...TIED, ddp: SMALL }],
  ['PowerSGD, GPT, sequence parallelism', { ...GPT, tensor: SEQUENCE, ddp: SMALL }],
  ['local SGD, GPT, sequence parallelism', { ...GPT, tensor: SEQUENCE, ddp: LOCAL }],
  ['PowerSGD, part of plan', { ...MLP, tensor: { plan: { 2: 'ColwiseParallel', 4: 'RowwiseParallel' } }, ddp: SMALL }],
  ['local SGD', { ...MLP, ddp: LOCAL }],
  ['local SGD, AdamW, accumulated', { ...MLP, ddp: LOCAL, accumulate: 2, optimizer: { type: 'AdamW', lr: 0.01 } }],
  ['local SGD, GPT, shared weight', { ...TIED, ddp: { commHook: { ...LOCAL.commHook, startLocalSGDIter: 0 } } }],
  ['fp16', { ...MLP, ddp: FP16 }],
  ['fp16, GPT, shared weight', { ...TIED, ddp: FP16, clipGradNorm: 0.3 }],
];

const python = pythonWithTorch('torch.distributed.tensor.parallel');

test('hooks of tensor groups with replicas, in PyTorch', { timeout: 600_000 }, async () => {
  if (python === undefined)
    return sayNoTorch(`${CASES.length} tensor groups with hooks were not trained.`, {
      module: 'torch.distributed.tensor.parallel (torch 2.6)',
      more: CASES.map(([name]) => name),
    });
  const cases = CASES.map(([name, config]) => ({ name, config }));
  expect(await exportedApart(python, cases)).toEqual([]);
  return undefined;
});
