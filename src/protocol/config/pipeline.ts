/**
 * The sizes of the mesh's axes, and a pipeline's settings, as torch.distributed.device_mesh and
 * torch.distributed.pipelining name them.
 */
import * as v from 'valibot';
import { SCHEDULE_NAMES } from '../pipeline';
import { count, LIMITS } from './fields';

/** The most micro-batches that a batch is cut into. */
export const MOST_MICRO_BATCHES = 64;

export const meshSchema = v.strictObject({
  /** Ranks of a pipeline. Given: worldSize is pp times dp. Absent: worldSize / dp. */
  pp: v.optional(count(1, LIMITS.worldSize)),
  /** Replicas of the pipeline, each with its own part of the batch: DDP over each stage. */
  dp: v.optional(count(1, LIMITS.worldSize), 1),
});

export const pipelineSchema = v.strictObject({
  /** torch's name (get_schedule_class); own: the one in `actions`. */
  schedule: v.optional(v.picklist([...SCHEDULE_NAMES, 'own']), '1F1B'),
  /** Stages that each rank has. Absent: 1 with GPipe and 1F1B, 2 with the others. */
  stagesPerRank: v.optional(count(1, 8)),
  /** Parts that each replica's batch is cut into, as torch.tensor_split cuts. */
  microBatches: v.optional(count(1, MOST_MICRO_BATCHES), 8),
  /** Layers in each stage, e.g. [2, 3]. Absent: stages of about equally many floating-point operations. */
  split: v.optional(v.pipe(v.array(count(1, 2 * LIMITS.layers)), v.maxLength(4 * LIMITS.worldSize))),
  /** Divides the gradients, which sum over the micro-batches, by their number at the end: torch's scale_grads. */
  scaleGrads: v.optional(v.boolean(), true),
  /** Of the schedule `own`: one row per rank, computations in torch's text: '0F0,0F1,0B0,0B1'. */
  actions: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
});
