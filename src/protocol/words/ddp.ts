/** Words of DistributedDataParallel's less usual settings, and of its communication hooks: loaded with their panel. */
import type { Config } from '../config';
import type { MainOfDdp } from './ddp-main';
import { type NameIn, settings } from './setting';

type Rest = Exclude<NameIn<Config['ddp']>, MainOfDdp>;

export const DDP = settings<Rest>('ddp', {
  findUnusedParameters: [
    'Unused parameters',
    'find_unused_parameters: walks the graph after each forward, marks parameters without a gradient as ready, and all-reduces a map of the used ones each step.',
  ],
  staticGraph: [
    'Static graph',
    'static_graph: promises that every step uses the same parameters in the same graph. DDP learns the order and the unused ones from the first step, and allows re-entrant checkpointing.',
  ],
  gradientAsBucketView: [
    'Bucket views',
    'gradient_as_bucket_view: .grad is a view into its bucket, which saves the memory of all gradients once and the copy back. With zero_grad(set_to_none=True), the default since 2.0, the copy into the bucket remains.',
  ],
  initSync: [
    'Sync at construction',
    "init_sync (PyTorch 2.7 and later): the constructor broadcasts rank 0's parameters and buffers.",
  ],
  broadcastBuffers: [
    'Broadcast buffers',
    "broadcast_buffers: rank 0's buffers (BatchNorm's running statistics) are broadcast before each forward that follows a reduction.",
  ],
  commHook: ['Hook', 'register_comm_hook: what happens to a bucket in place of the plain all-reduce.'],
  syncBatchNorm: [
    'SyncBatchNorm',
    'SyncBatchNorm.convert_sync_batchnorm: mean and variance over the batches of all ranks, by collectives in forward and backward.',
  ],
  setEpoch: [
    'set_epoch',
    'sampler.set_epoch(epoch) before each epoch; without it every epoch has the order of the first.',
  ],
  rankSeeds: [
    'Seeds',
    'torch.manual_seed. The same: all ranks draw the same dropout masks. seed + rank before the model is built: different initial weights, too; after: only different masks.',
  ],
  noSync: [
    'no_sync covers',
    'Which passes of the micro-batches before the last run inside model.no_sync(). DDP decides in forward.',
  ],
  samplesPerRank: [
    'Data split',
    'Consecutive rows that each rank owns: 40, 24. Without it, equal shares by a DistributedSampler, which repeats its first rows where they do not divide; these count twice, in metrics, too.',
  ],
  join: [
    'join',
    "Train inside model.join(): ranks that have run out of rows take part in the others' collectives with zeros.",
  ],
  divideByInitialWorldSize: [
    'Divide by initial world size',
    'divide_by_initial_world_size: under join() gradients are divided by the number of all ranks, not of those that still have rows.',
  ],
});

export const HOOK = settings<NameIn<Config['ddp']['commHook']>>('ddp.commHook', {
  matrixApproximationRank: [
    'Approximation rank',
    "matrix_approximation_rank: columns of PowerSGD's factors P and Q; more: closer, and more bytes.",
  ],
  startPowerSGDIter: ['Start PowerSGD at step', 'start_powerSGD_iter: before it, plain all-reduces.'],
  minCompressionRate: [
    'Least compression',
    'min_compression_rate: a matrix that its factors would not make smaller by this factor is sent as it is.',
  ],
  useErrorFeedback: ['Error feedback', 'use_error_feedback: what compression lost is added to the next gradient.'],
  warmStart: ['Warm start', 'warm_start: begins with the factors of the last step.'],
  period: ['Average every, steps', 'period: steps from one averaging of the parameters to the next.'],
  startLocalSGDIter: ['Start local SGD at step', 'start_localSGD_iter: before it, every gradient is all-reduced.'],
});
