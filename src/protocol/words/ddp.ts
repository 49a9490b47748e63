/** Words of DistributedDataParallel's less usual settings, and of its communication hooks: loaded with their panel. */
import type { Config } from '../config';
import type { MainOfDdp } from './ddp-main';
import { type NameIn, settings } from './setting';

type Rest = Exclude<NameIn<Config['ddp']>, MainOfDdp>;

export const DDP = settings<Rest>('ddp', {
  findUnusedParameters: [
    'Unused parameters',
    'find_unused_parameters: after each forward, DDP walks the graph, marks parameters without a gradient as ready, and all-reduces a map of the used parameters.',
  ],
  staticGraph: [
    'Static graph',
    'static_graph: promises that every step uses the same parameters in the same graph. DDP then learns their order and the unused parameters in the first step, and allows re-entrant checkpointing.',
  ],
  gradientAsBucketView: [
    'Bucket views',
    'gradient_as_bucket_view: every .grad is a view into its bucket. This saves one copy of all gradients in memory, and the copy out of the bucket. With zero_grad(set_to_none=True), the default since 2.0, the copy into the bucket remains.',
  ],
  initSync: [
    'Sync at construction',
    "init_sync (PyTorch 2.7 and later): the constructor broadcasts rank 0's parameters and buffers.",
  ],
  broadcastBuffers: [
    'Broadcast buffers',
    "broadcast_buffers: rank 0's buffers (BatchNorm's running statistics) are broadcast before each forward pass that follows a reduction.",
  ],
  commHook: ['Hook', 'register_comm_hook: the communication hook that replaces the plain all-reduce of a bucket.'],
  syncBatchNorm: [
    'SyncBatchNorm',
    'SyncBatchNorm.convert_sync_batchnorm: mean and variance over the batches of all ranks, with collectives in forward and backward.',
  ],
  setEpoch: [
    'set_epoch',
    'sampler.set_epoch(epoch) before each epoch. Without the call, every epoch repeats the order of the first.',
  ],
  rankSeeds: [
    'Seeds',
    'torch.manual_seed. Same seed: all ranks draw the same dropout masks. seed + rank before the model is built: initial weights and masks differ. seed + rank after the model is built: only the masks differ.',
  ],
  noSync: [
    'no_sync covers',
    'Which passes run inside model.no_sync(), for all micro-batches but the last. DDP decides in the forward pass whether to synchronise.',
  ],
  samplesPerRank: [
    'Data split',
    'Number of consecutive rows that each rank owns: 40, 24. By default a DistributedSampler gives every rank an equal share. If the rows do not divide evenly, the sampler repeats its first rows, which then count twice, in metrics too.',
  ],
  join: [
    'join',
    'Train inside model.join(): a rank without rows left takes part in the collectives of the other ranks with zeros.',
  ],
  divideByInitialWorldSize: [
    'Divide by initial world size',
    'divide_by_initial_world_size: under join(), divide gradients by the number of all ranks, not by the number of ranks that still have rows.',
  ],
});

export const HOOK = settings<NameIn<Config['ddp']['commHook']>>('ddp.commHook', {
  matrixApproximationRank: [
    'Approximation rank',
    "matrix_approximation_rank: number of columns of PowerSGD's factors P and Q. More columns approximate better and send more bytes.",
  ],
  startPowerSGDIter: ['Start PowerSGD at step', 'start_powerSGD_iter: before this step, plain all-reduces.'],
  minCompressionRate: [
    'Least compression',
    'min_compression_rate: if P and Q would not shrink a matrix by at least this factor, it is sent uncompressed.',
  ],
  useErrorFeedback: ['Error feedback', 'use_error_feedback: adds what compression lost to the next gradient.'],
  warmStart: ['Warm start', 'warm_start: starts from the factors of the last step.'],
  period: ['Steps between averages', 'period: number of steps between two averages of the parameters.'],
  startLocalSGDIter: [
    'Start local SGD at step',
    'start_localSGD_iter: before this step, every gradient is all-reduced.',
  ],
});
