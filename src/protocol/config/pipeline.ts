/**
 * The sizes of the mesh's axes, and a pipeline's settings, as torch.distributed.device_mesh and
 * torch.distributed.pipelining name them.
 */
import * as v from 'valibot';
import { SCHEDULE_NAMES } from '../pipeline';
import { count, LIMITS, settings } from './fields';

/** The most micro-batches that a batch is cut into. */
export const MOST_MICRO_BATCHES = 64;

/** An axis that no mode supports yet: a size other than 1 is refused. */
const notYet = () => v.optional(count(1, 1), 1);

/**
 * The sizes of the axes, outermost first, with torchtitan's names. Supported products: pp x dpReplicate x dpShard x tp
 * in mode pipeline, dpReplicate x dpShard x tp in the modes tensor and sharded, dpReplicate alone in mode ddp.
 */
export const meshSchema = v.pipe(
  settings({
    /** Ranks of a pipeline. Given: worldSize is the product of the axes. Absent: worldSize / the other axes. */
    pp: v.optional(count(1, LIMITS.worldSize)),
    /**
     * Replicas, each with its own part of the batch. In mode pipeline: DDP over each stage. Mode ddp has worldSize
     * replicas; if worldSize is absent, dpReplicate replicas if that is not 1.
     */
    dpReplicate: v.optional(count(1, LIMITS.worldSize), 1),
    /**
     * Ranks that share one copy of the parameters (with pp, of a stage's parameters). In mode sharded, absent:
     * worldSize / the other axes. In other modes absent: 1.
     */
    dpShard: v.optional(count(1, LIMITS.worldSize)),
    cp: notYet(),
    /** Ranks that share each layer. In mode tensor, absent: worldSize / the other axes. In other modes absent: 1. */
    tp: v.optional(count(1, LIMITS.worldSize)),
    /** The former name of dpReplicate, still accepted. */
    dp: v.optional(count(1, LIMITS.worldSize)),
  }),
  v.transform(({ dp = 1, dpReplicate, ...others }) => ({
    ...others,
    dpReplicate: dpReplicate === 1 ? dp : dpReplicate,
  })),
);

export const pipelineSchema = settings({
  /** torch's name (get_schedule_class); own: the one in `actions`. */
  schedule: v.optional(v.picklist([...SCHEDULE_NAMES, 'own']), '1F1B'),
  /** Stages that each rank has. Absent: 1 with GPipe and 1F1B, 2 with the others. */
  stagesPerRank: v.optional(count(1, 8)),
  /** Number of parts into which torch.tensor_split cuts each replica's batch. */
  microBatches: v.optional(count(1, MOST_MICRO_BATCHES), 8),
  /** Layers in each stage, e.g. [2, 3]. Absent: stages of about equally many floating-point operations. */
  split: v.optional(v.pipe(v.array(count(1, 2 * LIMITS.layers)), v.maxLength(4 * LIMITS.worldSize))),
  /** Divides the gradients, which sum over the micro-batches, by their number at the end: torch's scale_grads. */
  scaleGrads: v.optional(v.boolean(), true),
  /** For the schedule `own`: one row per rank, with computations in torch's notation: '0F0,0F1,0B0,0B1'. */
  actions: v.optional(v.pipe(v.string(), v.maxLength(100_000))),
});
