/**
 * DistributedDataParallel's arguments by their names, with its defaults, and what a training script around it may do:
 * seeds, set_epoch, no_sync, join. The defaults are the script that PyTorch's documentation recommends; the others are
 * choices, and some of them well-known mistakes.
 */
import * as v from 'valibot';
import { ALGORITHM_NAMES } from '../collective';
import { count, LIMITS, real } from './fields';

/** register_comm_hook: torch.distributed.algorithms.ddp_comm_hooks by their names. */
export const commHookSchema = v.variant('type', [
  v.strictObject({ type: v.literal('allreduce') }),
  v.strictObject({ type: v.literal('fp16Compress') }),
  v.strictObject({ type: v.literal('bf16Compress') }),
  v.strictObject({
    type: v.literal('powerSGD'),
    matrixApproximationRank: v.optional(count(1, 64), 1),
    /** Steps with a plain all-reduce before it begins. */
    startPowerSGDIter: v.optional(count(1, 1_000_000), 10),
    minCompressionRate: v.optional(real(0, 1e6), 2),
    useErrorFeedback: v.optional(v.boolean(), true),
    warmStart: v.optional(v.boolean(), true),
  }),
  /** Gradients stay local; every `period` steps the parameters are averaged (PeriodicModelAverager). */
  v.strictObject({
    type: v.literal('localSGD'),
    period: v.optional(count(1, 1_000_000), 4),
    /** Steps with a plain all-reduce before it begins. */
    startLocalSGDIter: v.optional(count(0, 1_000_000), 10),
  }),
]);

export const ddpSchema = v.strictObject({
  /** MiB; fractions work. Absent: first bucket 1 MiB, then 25 MiB. Given: the cap of every bucket. */
  bucketCapMb: v.optional(real(0.00001, 4096)),
  algorithm: v.optional(v.picklist(ALGORITHM_NAMES), 'ring'),
  /** false: the all-reduces start only after the whole backward. */
  overlap: v.optional(v.boolean(), true),
  findUnusedParameters: v.optional(v.boolean(), false),
  staticGraph: v.optional(v.boolean(), false),
  /** `.grad` is a view of its bucket: no copies out, and no second copy of all gradients in memory. */
  gradientAsBucketView: v.optional(v.boolean(), false),
  /** false: the constructor does not broadcast rank 0's parameters and buffers. */
  initSync: v.optional(v.boolean(), true),
  /** false: running statistics stay each rank's own. */
  broadcastBuffers: v.optional(v.boolean(), true),
  commHook: v.optional(commHookSchema, { type: 'allreduce' }),
  /** torch.nn.SyncBatchNorm.convert_sync_batchnorm(model). */
  syncBatchNorm: v.optional(v.boolean(), false),
  samplerSeed: v.optional(count(0, 4294967295), 0),
  /** sampler.set_epoch(epoch) before each epoch; false: every epoch has the order of the first. */
  setEpoch: v.optional(v.boolean(), true),
  /** torch.manual_seed(seed) on all ranks, or seed + rank before the model is built, or after. */
  rankSeeds: v.optional(v.picklist(['same', 'beforeModel', 'afterModel']), 'same'),
  /**
   * Which passes of the micro-batches before the last are inside `with model.no_sync()`. What counts is the forward
   * pass.
   */
  noSync: v.optional(v.picklist(['both', 'forward', 'backward', 'none']), 'both'),
  /** Rank r owns so many consecutive rows, in place of a DistributedSampler: uneven inputs. */
  samplesPerRank: v.optional(v.pipe(v.array(count(0, LIMITS.samples)), v.maxLength(LIMITS.worldSize))),
  /** Train inside `with model.join()`. */
  join: v.optional(v.boolean(), false),
  divideByInitialWorldSize: v.optional(v.boolean(), true),
});
