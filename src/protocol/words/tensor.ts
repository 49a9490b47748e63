/** Words of the settings of tensor parallelism. */
import type { Config } from '../config';
import { type NameIn, settings } from './setting';

export const TENSOR = settings<NameIn<Config['tensor']>>('tensor', {
  plan: [
    'Plan',
    'How each module is cut, by its path, as parallelize_module takes it: ColwiseParallel, RowwiseParallel or SequenceParallel; * stands for any part of a path. Without it a plan is made for the model.',
  ],
  lossParallel: [
    'Parallel loss',
    'loss_parallel(): the cross-entropy takes logits that are cut by class, so that no rank gathers all of them.',
  ],
});

export const STYLE = settings<'style' | 'outputLayouts'>('tensor.plan', {
  style: [
    'Style',
    'ColwiseParallel, RowwiseParallel or SequenceParallel, as torch.distributed.tensor.parallel has them.',
  ],
  outputLayouts: [
    'Output layout',
    'output_layouts: what the module hands on, whole (Replicate) or cut along the sequence (Shard(1)); without it as in torch.',
  ],
});
