/** Words of the settings of sharded data parallelism. */
import type { Config } from '../config';
import { type NameIn, settings } from './setting';

export const SHARDED = settings<NameIn<Config['sharded']>>('sharded', {
  stage: [
    'ZeRO stage',
    'What is sharded, so that each rank keeps only its own part: 0 nothing, as in DDP; 1 the states of the optimiser; 2 also the gradients; 3 also the parameters.',
  ],
  reshardAfterForward: [
    'Free the root, too',
    'Stage 3: the parameters of the root are also freed after the forward pass, and gathered again for the backward pass.',
  ],
  reshardTo: [
    'Reshard over ranks',
    'Stage 3, reshard_after_forward as a number: after the forward pass each unit is sharded over groups of this many neighbouring ranks, and a rank gathers it again from its own group only. The number must divide the number of shards.',
  ],
  modules: [
    'Units',
    'Layers whose parameters are gathered and freed together, by their paths. By default the blocks of the model, or else every layer with parameters.',
  ],
  prefetch: [
    'Prefetch',
    'How many units are gathered in advance while a unit computes. The default is one, as in PyTorch.',
  ],
  syncEveryPass: [
    'Reduce every micro-batch',
    'With gradient accumulation, gradients are reduced and scattered after each micro-batch; off: only after the last one.',
  ],
  cpuOffload: [
    'CPU offload',
    'Stages 2 and 3, CPUOffloadPolicy: shards, their gradients and the optimiser’s states are in the host’s memory; a unit is copied to the device before it is gathered. Only the memory panel and the modelled clock show the offload.',
  ],
  paramDtype: [
    'Compute in',
    'Stages 2 and 3, MixedPrecisionPolicy: parameters are gathered in this type, and layers compute in it. The shards that a rank keeps stay float32.',
  ],
  reduceDtype: [
    'Reduce in',
    'Stages 2 and 3, MixedPrecisionPolicy: gradients are summed over the ranks in this type; param is the type in which layers compute.',
  ],
  castForwardInputs: [
    'Cast the samples',
    'MixedPrecisionPolicy: the samples are cast to the type in which layers compute.',
  ],
});
