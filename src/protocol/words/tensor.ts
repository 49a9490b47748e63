/** Words of the settings of tensor parallelism. */
import type { Config } from '../config';
import type { StyleConfig } from '../config/tensor';
import { type NameIn, settings } from './setting';

export const TENSOR = settings<NameIn<Config['tensor']>>('tensor', {
  plan: [
    'Plan',
    'How each module is cut, by its path, as parallelize_module takes it: ColwiseParallel, RowwiseParallel, SequenceParallel, PrepareModuleInput or PrepareModuleOutput; * stands for any part of a path. By default a plan is made for the model.',
  ],
  lossParallel: [
    'Parallel loss',
    'loss_parallel(): the cross-entropy takes logits that are cut by class, so that no rank gathers all of them.',
  ],
});

export const STYLE = settings<keyof Exclude<StyleConfig, string>>('tensor.plan', {
  style: [
    'Style',
    'ColwiseParallel, RowwiseParallel, SequenceParallel, PrepareModuleInput or PrepareModuleOutput, as in torch.distributed.tensor.parallel.',
  ],
  inputLayouts: [
    'Input layout',
    'input_layouts: how the ranks hold the module’s input. It follows from the plan; Lockstep refuses another layout.',
  ],
  desiredInputLayouts: [
    'Desired input layout',
    'desired_input_layouts of PrepareModuleInput: the input is gathered or cut to this layout before the module.',
  ],
  outputLayouts: [
    'Output layout',
    'output_layouts: the module’s output is whole (Replicate), cut along the sequence (Shard(1)) or by features (Shard(-1)); by default as in torch.',
  ],
  desiredOutputLayouts: [
    'Desired output layout',
    'desired_output_layouts of PrepareModuleOutput: the output is gathered or cut to this layout after the module.',
  ],
  useLocalOutput: [
    'Local output',
    'use_local_output: whether the module returns a plain tensor with its own part, or a DTensor. The default is what the next module needs.',
  ],
});
