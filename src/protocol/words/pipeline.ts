/** Words of the mesh's and the pipeline's settings. */
import type { Config, ConfigInput } from '../config';
import { type NameIn, settings } from './setting';

export const MESH = settings<NameIn<NonNullable<ConfigInput['mesh']>>>('mesh', {
  pp: ['Pipeline ranks', 'pp: ranks of a pipeline; by default the world size divided by the other axes.'],
  dpReplicate: [
    'Replicas',
    'dp_replicate: replicas of the model or pipeline, each with its own part of the batch; DDP averages their gradients.',
  ],
  dpShard: [
    'Shards',
    'dp_shard: ranks that share one copy of the parameters; in mode sharded by default the world size divided by the other axes.',
  ],
  cp: ['Context ranks', 'cp: ranks that share one sequence. No mode supports this axis yet, so it is 1.'],
  tp: [
    'Tensor ranks',
    'tp: ranks that share each layer; in mode tensor by default the world size divided by the other axes.',
  ],
  dp: ['Replicas', 'The former name of dpReplicate, which is still accepted.'],
});

export const PIPELINE = settings<NameIn<Config['pipeline']>>('pipeline', {
  schedule: [
    'Schedule',
    'The order of forward and backward passes on each rank, as torch.distributed.pipelining names it; own: your list of actions.',
  ],
  stagesPerRank: [
    'Stages per rank',
    'Number of stages of each rank; by default 1 with GPipe and 1F1B, 2 with the others.',
  ],
  microBatches: [
    'Micro-batches',
    'n_microbatches: parts that the batch of each replica is cut into. They go through the stages one after the other.',
  ],
  split: [
    'Layers in each stage',
    'Number of layers in each stage, for example [2, 3]; by default stages have about equally many operations.',
  ],
  scaleGrads: [
    'Scale gradients',
    'scale_grads: divides the gradients by the number of micro-batches; off: the gradients are sums.',
  ],
  actions: [
    'Own schedule',
    'One row per rank with its computations in order, in torch’s text: 0F0,0F1,0B0,0B1. F is forward, B backward, I and W its two halves.',
  ],
});
