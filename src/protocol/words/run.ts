/** Words of the settings at the top level of the Config, except those of the bar (bar.ts). */
import type { Config } from '../config';
import type { InBar } from './bar';
import { type NameIn, settings } from './setting';

export const RUN = settings<Exclude<NameIn<Config>, InBar>>('', {
  model: ['Model', 'The network: a torch.nn.Sequential of layers.'],
  loss: ['Loss', 'The loss function, named as in torch.nn.'],
  optimizer: [
    'Optimiser',
    "The optimiser, named as in torch.optim. Choosing another optimiser resets its settings to PyTorch's defaults.",
  ],
  paramGroups: [
    'Parameter groups',
    'Separate settings for some parameters: “*.bias weightDecay 0; blocks.* lr 0.01”. A parameter belongs to the first group that matches its name.',
  ],
  scheduler: [
    'Schedule',
    'How the learning rate changes, named as in torch.optim.lr_scheduler; by default it stays constant.',
  ],
  clipGradNorm: [
    'Clip norm',
    'torch.nn.utils.clip_grad_norm_(max_norm): multiplies all gradients by min(1, max_norm / (their common norm + 1e-6)); off by default.',
  ],
  clipGradNormType: [
    'Norm type',
    'norm_type of clip_grad_norm_: 2, 1 or another p of the p-norm, or inf for the greatest absolute value; 2 by default.',
  ],
  clipGradValue: [
    'Clip value',
    'torch.nn.utils.clip_grad_value_(clip_value): limits every element of every gradient to [-clip_value, clip_value], after clipping by norm; off by default.',
  ],
  data: ['Data', 'The source of the samples.'],
  batchSize: [
    'Batch, all ranks',
    'batch_size: samples per step, over all ranks; DDP gives each rank floor(batchSize / worldSize).',
  ],
  accumulate: [
    'Accumulate',
    'Number of micro-batches whose gradients add up in .grad before each optimizer.step(). The step counter counts optimizer.step() calls. Under DDP all micro-batches but the last run in no_sync().',
  ],
  shuffle: ['Shuffle', 'shuffle: a new order of the rows in every epoch.'],
  dropLast: [
    'Drop last',
    'drop_last: skips the last batch of an epoch if it is not full. Under DDP this is the sampler’s drop_last: it skips up to N−1 rows so that all N ranks have equally many, instead of repeating rows.',
  ],
  steps: ['Steps', 'Optimiser steps to run on the command line; each step takes accumulate micro-batches.'],
  epochs: ['Epochs', 'Epochs to run on the command line; overrides steps.'],
  placement: [
    'Ranks run in',
    'One GPUDevice: transfers are copies on the GPU. One worker per rank: transfers go through host memory.',
  ],
  device: ['Device', 'The device that computes; automatic uses a GPU if the machine has a real one.'],
  nodes: [
    'Nodes',
    "torchrun's --nnodes: number of nodes that the devices are spread over. Links between nodes are slower.",
  ],
  visibleDevices: [
    'Visible devices',
    'CUDA_VISIBLE_DEVICES: devices that the ranks of a node use, in order, for example 2, 0; by default all.',
  ],
  adapters: [
    'Adapters',
    'With one worker per rank: the adapter of each rank: highPerformance, lowPower, software or cpu; by default the same for all.',
  ],
  timeoutS: [
    'Timeout, s',
    'init_process_group(timeout=…): how long a rank waits for another rank. PyTorch: 600 for nccl, 1800 for gloo.',
  ],
  maxRestarts: [
    'Max restarts',
    'torchrun --max-restarts: how often all ranks restart from the last checkpoint after a rank has failed.',
  ],
  stragglers: ['Slowed down', 'Ranks and links that are slowed down by a factor.'],
  ddp: ['DDP', 'Settings of DistributedDataParallel.'],
  parameterServer: ['Parameter server', 'Settings of the parameter server.'],
  modelParallel: ['Model parallel', 'Settings of model parallelism.'],
  mesh: ['Mesh', 'Number of ranks along each axis of the mesh.'],
  pipeline: ['Pipeline', 'Settings of pipeline parallelism.'],
  sharded: ['Sharding', 'Settings of sharding: what each rank keeps only a shard of.'],
  tensor: ['Tensor parallelism', 'Settings of how each layer is cut among the ranks of a tensor group.'],
  hardware: ['Machine', 'The machine that the modelled clock assumes.'],
  memoryBudgetMb: ['Memory, MiB', 'Memory of each device. A run that needs more is refused.'],
  fuse: [
    'Fused kernels',
    "Lockstep's own setting: runs consecutive operators as one kernel where such a kernel exists, with the same bits. torch.compile fuses other operators and does not promise equal bits.",
  ],
  threads: [
    'CPU threads',
    'torch.set_num_threads: threads that share the kernels of the CPU device, if the net is large. Results are the same to the bit. The page must be cross-origin isolated.',
  ],
  fusedMultiplyAdd: [
    'Fused multiply-add',
    'Large kernels of the CPU device round x y + z once (relaxed SIMD): faster, but the last bits depend on the machine.',
  ],
  checkpointSegments: [
    'Checkpointing',
    'torch.utils.checkpoint.checkpoint_sequential(segments): keeps only the input of each segment of layers and computes the other activations again in backward; by default everything is kept.',
  ],
  precision: [
    'Precision',
    'The type in which layers compute: with torch.autocast, matrix products in half precision; or the whole model in half precision, with a float32 copy of the weights for the optimiser; or all in bfloat16, where small updates are lost.',
  ],
  gradScaler: ['Gradient scaler', 'Settings of torch.amp.GradScaler.'],
  compareSingle: [
    'Compare with Single',
    'Also trains on one device and shows the largest difference between any two weights.',
  ],
  weights: [
    'Initial weights',
    "A .safetensors file with PyTorch's parameter names, relative to the configuration file.",
  ],
  resume: ['Resume', 'Name of the checkpoint to resume from: <name>.safetensors and <name>.state.safetensors.'],
  resumeBy: ['Checkpoint read by', 'Who reads the checkpoint: every rank, or only rank 0, which broadcasts it.'],
});
