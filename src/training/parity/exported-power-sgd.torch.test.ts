/**
 * PowerSGD in scripts: the hook sends from a thread of gloo. Without a wait ranks send in different orders, and the
 * run hangs or stops. With the wait PyTorch trains the run, in the schedules of pipelines (also by hand, where backward
 * passes run in halves) and with a search for unused parameters. Needs a torch with pipelines (2.6).
 */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { gptLayers, mlpLayers } from '../../protocol/presets';
import { exportedApart } from '../testing/exported-apart';
import { pythonWithTorch, sayNoTorch } from '../testing/torch-scripts';

const RUN: ConfigInput = {
  ...{ device: 'cpu', compareSingle: false, seed: 4, steps: 6, batchSize: 16, dropLast: true },
  model: { layers: mlpLayers([6, 9, 8, 9, 3], 'Tanh') },
  data: { type: 'prototypes', samples: 64, classes: 3, features: 6 },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.1 },
};
/** Several small buckets. */
const DDP = {
  bucketCapMb: 0.0001,
  commHook: { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.5, matrixApproximationRank: 1 },
} as const;
const TEXT = 'the cat saw a hat; a dog ate the ham; '.repeat(8);
const VOCAB = new Set(TEXT).size;
const pipeline = (schedule: NonNullable<ConfigInput['pipeline']>['schedule']): ConfigInput => ({
  ...{ ...RUN, mode: 'pipeline', mesh: { pp: 2, dpReplicate: 2 } },
  pipeline: { schedule, microBatches: 4 },
  ddp: DDP,
});

const CASES: readonly (readonly [name: string, config: ConfigInput])[] = [
  ['GPipe', pipeline('GPipe')],
  ['GPipe, again', pipeline('GPipe')],
  ['GPipe, one bucket', { ...pipeline('GPipe'), ddp: { commHook: DDP.commHook } }],
  ['InterleavedZeroBubble', pipeline('InterleavedZeroBubble')],
  ['ZBVZeroBubble, large buckets', { ...pipeline('ZBVZeroBubble'), ddp: { commHook: DDP.commHook } }],
  [
    'DualPipeV, layers cut in two, unused parameters searched',
    {
      ...{ ...pipeline('DualPipeV'), mesh: { pp: 2, dpReplicate: 2, tp: 2 } },
      model: { layers: mlpLayers([6, 8, 8, 8, 3], 'Tanh') },
      ddp: { ...DDP, findUnusedParameters: true },
    },
  ],
  [
    'InterleavedZeroBubble, shared weight',
    {
      ...{ ...pipeline('InterleavedZeroBubble'), clipGradNorm: 0.3 },
      model: {
        layers: [
          ...gptLayers({ vocab: VOCAB, context: 4, width: 8, heads: 2, layers: 2 }).slice(0, -1),
          { type: 'Linear', in: 8, out: VOCAB, bias: false, tied: 'tok.weight', name: 'head' },
        ],
      },
      data: { type: 'text', text: TEXT, context: 4 },
    },
  ],
  ['1F1B', pipeline('1F1B')],
  ['Interleaved1F1B', pipeline('Interleaved1F1B')],
  ['ddp', { ...RUN, mode: 'ddp', worldSize: 3, ddp: DDP }],
  ['ddp, find_unused_parameters', { ...RUN, mode: 'ddp', worldSize: 2, ddp: { ...DDP, findUnusedParameters: true } }],
  ['ddp, static_graph', { ...RUN, mode: 'ddp', worldSize: 2, ddp: { ...DDP, staticGraph: true } }],
];

const python = pythonWithTorch('torch.distributed.pipelining');

test('PowerSGD, in PyTorch', { timeout: 600_000 }, async () => {
  if (python === undefined)
    return sayNoTorch(`${CASES.length} runs with PowerSGD were not trained.`, {
      module: 'torch.distributed.pipelining (torch 2.6)',
      more: CASES.map(([name]) => name),
    });
  const cases = CASES.map(([name, config]) => ({ name, config }));
  expect(await exportedApart(python, cases)).toEqual([]);
  return undefined;
});
