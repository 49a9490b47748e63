/**
 * DistributedDataParallel's arguments by name, with torch's defaults, and the choices of a training script around it:
 * seeds, set_epoch, no_sync, join. The defaults are the script that PyTorch's documentation recommends; some of the
 * other values are well-known mistakes.
 */
import * as v from 'valibot';
import { ALGORITHM_NAMES } from '../collective';
import { count, LIMITS, real, settings } from './fields';

/** register_comm_hook: torch.distributed.algorithms.ddp_comm_hooks by their names. */
export const commHookSchema = v.variant('type', [
  v.strictObject({ type: v.literal('allreduce') }),
  v.strictObject({ type: v.literal('fp16Compress') }),
  v.strictObject({ type: v.literal('bf16Compress') }),
  v.strictObject({
    type: v.literal('powerSGD'),
    matrixApproximationRank: v.optional(count(1, 64), 1),
    /** Steps with a plain all-reduce before the hook begins. */
    startPowerSGDIter: v.optional(count(1, 1_000_000), 10),
    minCompressionRate: v.optional(real(0, 1e6), 2),
    useErrorFeedback: v.optional(v.boolean(), true),
    warmStart: v.optional(v.boolean(), true),
  }),
  /** Gradients stay local; every `period` steps the parameters are averaged (PeriodicModelAverager). */
  v.strictObject({
    type: v.literal('localSGD'),
    period: v.optional(count(1, 1_000_000), 4),
    /** Steps with a plain all-reduce before the hook begins. */
    startLocalSGDIter: v.optional(count(0, 1_000_000), 10),
  }),
]);

export const ddpSchema = settings({
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
   * Which passes of all micro-batches but the last are inside `with model.no_sync()`. Only the forward pass matters to
   * DDP.
   */
  noSync: v.optional(v.picklist(['both', 'forward', 'backward', 'none']), 'both'),
  /** Number of consecutive rows that each rank owns, in place of a DistributedSampler: uneven inputs. */
  samplesPerRank: v.optional(v.pipe(v.array(count(0, LIMITS.samples)), v.maxLength(LIMITS.worldSize))),
  /** Train inside `with model.join()`. */
  join: v.optional(v.boolean(), false),
  divideByInitialWorldSize: v.optional(v.boolean(), true),
});
