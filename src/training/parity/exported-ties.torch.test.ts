/**
 * Weights that stages share: train.py adds up their gradients over the ranks that have a copy, and trains in PyTorch as
 * the run does, losses of every rank and final weights. Needs a torch with pipelines (2.6).
 */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { gptLayers } from '../../protocol/presets';
import { savedAfter } from '../testing/checkpoint-runs';
import { type ExportedCase, exportedApart } from '../testing/exported-apart';
import { pythonWithTorch, sayNoTorch } from '../testing/torch-scripts';

const TEXT = 'the cat saw a hat; a dog ate the ham; '.repeat(8);
const VOCAB = new Set(TEXT).size;
const HEAD = { type: 'Linear', in: 8, out: VOCAB, bias: false, tied: 'tok.weight', name: 'head' } as const;

const RUN: ConfigInput = {
  ...{ device: 'cpu', compareSingle: false, seed: 4, steps: 5, mode: 'pipeline' },
  model: { layers: [...gptLayers({ vocab: VOCAB, context: 4, width: 8, heads: 2, layers: 2 }).slice(0, -1), HEAD] },
  data: { type: 'text', text: TEXT, context: 4 },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  ...{ batchSize: 16, dropLast: true },
};
const pipeline = (schedule: NonNullable<ConfigInput['pipeline']>['schedule'], split?: readonly number[]) => ({
  pipeline: { schedule, microBatches: 4, ...(split ? { split: [...split] } : {}) },
});
const ONE_F_ONE_B = pipeline('1F1B');
const CLIPPED = { clipGradNorm: 0.3 };

type Case = readonly [name: string, config: ConfigInput];
const CASES: readonly Case[] = [
  ['1F1B', { ...RUN, ...ONE_F_ONE_B, mesh: { pp: 2 } }],
  ['GPipe', { ...RUN, ...pipeline('GPipe'), mesh: { pp: 2 } }],
  ['a stage between the two, clipped', { ...RUN, ...ONE_F_ONE_B, ...CLIPPED, mesh: { pp: 3 } }],
  [
    'DistributedDataParallel around the stages',
    { ...RUN, ...ONE_F_ONE_B, ...CLIPPED, mesh: { pp: 2, dpReplicate: 2 } },
  ],
  ['GPipe with replicas', { ...RUN, ...pipeline('GPipe'), mesh: { pp: 2, dpReplicate: 2 } }],
  ['averaged by hand', { ...RUN, ...pipeline('InterleavedZeroBubble'), mesh: { pp: 2, dpReplicate: 2 } }],
  ['both stages on one rank', { ...RUN, ...pipeline('ZBVZeroBubble'), ...CLIPPED, mesh: { pp: 2 } }],
  [
    'both stages on one rank, replicas',
    { ...RUN, ...pipeline('LoopedBFS', [1, 4]), ...CLIPPED, mesh: { pp: 1, dpReplicate: 2 } },
  ],
  [
    'parameters averaged, and a stage with nothing but the shared weight',
    {
      ...RUN,
      ...pipeline('1F1B', [4, 1]),
      mesh: { pp: 2, dpReplicate: 2 },
      ddp: { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 1 } },
    },
  ],
  ['tensor groups', { ...RUN, ...ONE_F_ONE_B, ...CLIPPED, mesh: { pp: 2, tp: 2 } }],
  ['tensor groups with replicas', { ...RUN, ...ONE_F_ONE_B, ...CLIPPED, mesh: { pp: 2, tp: 2, dpReplicate: 2 } }],
  [
    'a tensor group with replicas that has both stages',
    { ...RUN, ...ONE_F_ONE_B, ...CLIPPED, mesh: { pp: 1, tp: 2, dpReplicate: 2 } },
  ],
  [
    'a tensor group with replicas that has both stages, PowerSGD',
    {
      ...{ ...RUN, ...ONE_F_ONE_B, ...CLIPPED, mesh: { pp: 1, tp: 2, dpReplicate: 2 } },
      ddp: {
        ...{ bucketCapMb: 0.0001 },
        commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.5, matrixApproximationRank: 1 },
      },
    },
  ],
  [
    'a tensor group with replicas, without stages',
    { ...RUN, ...CLIPPED, mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 }, accumulate: 2 },
  ],
  [
    'a tensor group whose optimiser counts its steps',
    {
      ...{ ...RUN, mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 } },
      optimizer: { type: 'Adam', lr: 0.01, eps: 0.001 },
    },
  ],
  [
    'three stages, two of them on one rank',
    {
      ...RUN,
      ...pipeline('Interleaved1F1B', [1, 1, 1, 1]),
      optimizer: { type: 'SGD', lr: 0.01 },
      mesh: { pp: 2 },
      model: {
        layers: [
          { type: 'TokenEmbedding', vocab: VOCAB, context: 4, width: VOCAB, name: '' },
          { ...HEAD, in: VOCAB, name: 'mid' },
          { ...HEAD, in: VOCAB, name: 'more' },
          { ...HEAD, in: VOCAB },
        ],
      },
    },
  ],
];

const python = pythonWithTorch('torch.distributed.pipelining');

test('weights that stages share, in PyTorch', { timeout: 600_000 }, async () => {
  if (python === undefined)
    return sayNoTorch(`${CASES.length} pipelines with shared weights were not trained.`, {
      module: 'torch.distributed.pipelining (torch 2.6)',
      more: CASES.map(([name]) => name),
    });
  const cases = CASES.flatMap(([name, config]): ExportedCase[] => [
    { name, config },
    // PyTorch begins hooks anew, and with localSGD the replicas have different weights, of which it loads one.
    ...(config.ddp?.commHook
      ? []
      : [
          {
            ...{ name: `${name}, resumed`, config: { ...config, resume: 'run' } },
            files: () => savedAfter(config, 3 * (config.accumulate ?? 1)),
          },
        ]),
  ]);
  expect(await exportedApart(python, cases)).toEqual([]);
  return undefined;
});
