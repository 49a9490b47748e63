/** Words of the settings of tensor parallelism. */
import type { Config } from '../config';
import type { StyleConfig } from '../config/tensor';
import { type NameIn, settings } from './setting';

export const TENSOR = settings<NameIn<Config['tensor']>>('tensor', {
  plan: [
    'Plan',
    'How each module is cut, by its path, as parallelize_module takes it: ColwiseParallel, RowwiseParallel, SequenceParallel, PrepareModuleInput or PrepareModuleOutput; * stands for any part of a path. Without it a plan is made for the model.',
  ],
  lossParallel: [
    'Parallel loss',
    'loss_parallel(): the cross-entropy takes logits that are cut by class, so that no rank gathers all of them.',
  ],
});

export const STYLE = settings<keyof Exclude<StyleConfig, string>>('tensor.plan', {
  style: [
    'Style',
    'ColwiseParallel, RowwiseParallel, SequenceParallel, PrepareModuleInput or PrepareModuleOutput, as torch.distributed.tensor.parallel has them.',
  ],
  inputLayouts: [
    'Input layout',
    'input_layouts: how the ranks hold what the module is given. The playground knows this; a wrong layout is refused.',
  ],
  desiredInputLayouts: [
    'Desired input layout',
    'desired_input_layouts of PrepareModuleInput: the input is gathered or cut to this layout before the module.',
  ],
  outputLayouts: [
    'Output layout',
    'output_layouts: what the module hands on, whole (Replicate), cut along the sequence (Shard(1)) or by features (Shard(-1)); without it as in torch.',
  ],
  desiredOutputLayouts: [
    'Desired output layout',
    'desired_output_layouts of PrepareModuleOutput: the output is gathered or cut to this layout after the module.',
  ],
  useLocalOutput: [
    'Local output',
    'use_local_output: whether the module hands on a plain tensor, its own part, or a DTensor. Without it, what the next module needs.',
  ],
});
