/** Words of the settings that are at the top of the Config, but for those of the bar (bar.ts). */
import type { Config } from '../config';
import type { InBar } from './bar';
import { type NameIn, settings } from './setting';

export const RUN = settings<Exclude<NameIn<Config>, InBar>>('', {
  model: ['Model', 'The network: a torch.nn.Sequential of layers.'],
  loss: ['Loss', 'The loss function, named as in torch.nn.'],
  optimizer: ['Optimiser', "The optimiser, named as in torch.optim; another one brings PyTorch's defaults."],
  paramGroups: [
    'Parameter groups',
    "Settings of their own for some parameters: “*.bias weightDecay 0; blocks.* lr 0.01”. The first group that matches a parameter's name counts.",
  ],
  scheduler: ['Schedule', 'How the learning rate changes, named as in torch.optim.lr_scheduler; without it, it stays.'],
  clipGradNorm: [
    'Clip norm',
    'torch.nn.utils.clip_grad_norm_(max_norm): multiplies all gradients by min(1, max_norm / (their common norm + 1e-6)); without it they are not clipped.',
  ],
  clipGradNormType: [
    'Norm type',
    'norm_type of clip_grad_norm_: 2, 1 or another p of the p-norm, or inf for the greatest absolute value; without it 2.',
  ],
  clipGradValue: [
    'Clip value',
    'torch.nn.utils.clip_grad_value_(clip_value): limits every element of every gradient to [-clip_value, clip_value], after clipping by norm; without it they are not clipped.',
  ],
  data: ['Data', 'Where the samples come from.'],
  batchSize: [
    'Batch, all ranks',
    'batch_size: samples per step, over all ranks; DDP gives each rank floor(batchSize / worldSize).',
  ],
  accumulate: [
    'Accumulate',
    'Micro-batches whose gradients add up in .grad before optimizer.step(); the step counter counts the latter. Under DDP all but the last run in no_sync().',
  ],
  shuffle: ['Shuffle', 'shuffle: a new order of the rows each epoch.'],
  dropLast: [
    'Drop last',
    'drop_last: leaves out the last batch of an epoch where it is not full. Under DDP it is the sampler’s: leaves out up to N−1 rows so that all N ranks have equally many, instead of repeating rows.',
  ],
  steps: ['Steps', 'Steps of the optimizer to run from the command line; each takes accumulate micro-batches.'],
  epochs: ['Epochs', 'Epochs of the data to run from the command line; wins over steps.'],
  placement: [
    'Ranks live in',
    'One GPUDevice: transfers are copies on the GPU. One worker per rank: transfers go through host memory.',
  ],
  device: ['Device', 'What computes; automatic takes a GPU where there is a real one.'],
  nodes: ['Nodes', "torchrun's --nnodes: how many nodes the devices are spread over; links between nodes are slower."],
  visibleDevices: [
    'Visible devices',
    'CUDA_VISIBLE_DEVICES: which devices the ranks of a node take, in order: 2, 0; without it all.',
  ],
  adapters: [
    'Adapters',
    'With one worker per rank: what each computes on: highPerformance, lowPower, software, cpu; without it all alike.',
  ],
  timeoutS: [
    'Timeout, s',
    'init_process_group(timeout=…): how long a rank waits for another one. PyTorch: 600 for nccl, 1800 for gloo.',
  ],
  maxRestarts: [
    'Max restarts',
    'torchrun --max-restarts: how often all ranks start again from the last checkpoint after one has failed.',
  ],
  stragglers: ['Slowed down', 'Ranks and links that are slowed down by a factor.'],
  ddp: ['DDP', 'Settings of DistributedDataParallel.'],
  parameterServer: ['Parameter server', 'Settings of the parameter server.'],
  modelParallel: ['Model parallel', 'Settings of model parallelism.'],
  mesh: ['Mesh', 'How many ranks lie along each axis of the mesh.'],
  pipeline: ['Pipeline', 'Settings of pipeline parallelism.'],
  hardware: ['Machine', 'The machine that the modelled clock assumes.'],
  memoryBudgetMb: ['Memory, MiB', 'Memory of each device; a run that needs more is refused.'],
  fuse: [
    'Fused kernels',
    "Lockstep's own: runs operators that follow each other as one kernel where there is one, and gives the same bits. torch.compile fuses others, and does not promise equal bits.",
  ],
  checkpointSegments: [
    'Checkpointing',
    'torch.utils.checkpoint.checkpoint_sequential(segments): keeps only the input of each run of layers and computes the rest again in backward; without it everything is kept.',
  ],
  compareSingle: ['Compare with Single', 'Also trains on one device, and shows the greatest difference of a weight.'],
  weights: [
    'Initial weights',
    "A .safetensors file with PyTorch's parameter names, relative to the configuration file.",
  ],
  resume: ['Resume', 'Name of a checkpoint to go on from: <name>.safetensors and <name>.state.safetensors.'],
  resumeBy: ['Checkpoint read by', 'Who reads a checkpoint: every rank, or rank 0, which broadcasts it.'],
});
