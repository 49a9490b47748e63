/** Words of the small parts of the Config: of some modes, of the model, of what is slowed down. */
import type { Config, Straggler } from '../config';
import { type NameIn, settings } from './setting';

export const MODEL = settings<NameIn<Config['model']>>('model', {
  layers: ['Layers', 'Layers in order, as in nn.Sequential. What one gives must fit what the next takes.'],
});

export const PARAMETER_SERVER = settings<NameIn<Config['parameterServer']>>('parameterServer', {
  synchronous: [
    'Synchronous',
    "A step waits for the gradients of all workers; off: the workers' gradients are applied one after the other.",
  ],
  staleness: [
    'Staleness',
    "Asynchronous: updates that a worker's parameters are behind the server's when its gradient is applied.",
  ],
});

export const MODEL_PARALLEL = settings<NameIn<Config['modelParallel']>>('modelParallel', {
  split: ['Layers on each device', 'How many layers each device holds, as in [2, 3]; without it, spread evenly.'],
});

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

export const STRAGGLER = settings<NameIn<Straggler>>('stragglers', {
  rank: ['Rank', 'The rank that is slow.'],
  from: ['From', 'The rank that sends.'],
  to: ['To', 'The rank that receives.'],
  factor: ['Factor', 'Slowed down by this factor: the work of a rank, or the messages of a link.'],
});
