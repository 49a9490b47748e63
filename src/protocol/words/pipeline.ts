/** Words of the mesh's and the pipeline's settings. */
import type { Config, ConfigInput } from '../config';
import { type NameIn, settings } from './setting';

export const MESH = settings<NameIn<NonNullable<ConfigInput['mesh']>>>('mesh', {
  pp: ['Pipeline ranks', 'pp: ranks that a pipeline has; without it, the world size divided by the other axes.'],
  dpReplicate: [
    'Replicas',
    'dp_replicate: replicas of the model or pipeline, each with its own part of the batch; DDP averages their gradients.',
  ],
  dpShard: [
    'Shards',
    'dp_shard: ranks that share one copy of the parameters; in mode sharded without it, the world size divided by the other axes.',
  ],
  cp: ['Context ranks', 'cp: ranks that share one sequence. No mode has this axis yet: it is 1.'],
  tp: [
    'Tensor ranks',
    'tp: ranks that share each layer; in mode tensor without it, the world size divided by the other axes.',
  ],
  dp: ['Replicas', 'The earlier name of dpReplicate, which is still read.'],
});

export const PIPELINE = settings<NameIn<Config['pipeline']>>('pipeline', {
  schedule: [
    'Schedule',
    'The order of forwards and backwards on each rank, as torch.distributed.pipelining names it; own: your list of actions.',
  ],
  stagesPerRank: ['Stages per rank', 'Stages that each rank has; without it 1 with GPipe and 1F1B, 2 with the others.'],
  microBatches: [
    'Micro-batches',
    'n_microbatches: parts that the batch of each replica is cut into. They go through the stages one after the other.',
  ],
  split: [
    'Layers in each stage',
    'How many layers each stage has, as in [2, 3]; without it stages of about equally many operations.',
  ],
  scaleGrads: [
    'Scale gradients',
    'scale_grads: divides the gradients by the number of micro-batches; off: they are the sum.',
  ],
  actions: [
    'Own schedule',
    'One row per rank with its computations in order, in torch’s text: 0F0,0F1,0B0,0B1. F is forward, B backward, I and W its two halves.',
  ],
});
