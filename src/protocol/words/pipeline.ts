/** Words of the mesh's and the pipeline's settings. */
import type { Config } from '../config';
import { type NameIn, settings } from './setting';

export const MESH = settings<NameIn<Config['mesh']>>('mesh', {
  pp: ['Pipeline ranks', 'pp: ranks that a pipeline has; without it, the world size divided by dp.'],
  dp: [
    'Replicas',
    'dp: how many pipelines train side by side, each on its part of the batch; DDP averages each stage.',
  ],
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
