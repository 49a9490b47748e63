/**
 * Settings of sharded data parallelism, as fully_shard (FSDP2) and ZeroRedundancyOptimizer take them. Stages are those
 * of the ZeRO paper.
 */
import * as v from 'valibot';
import { count, LIMITS, settings } from './fields';

/** Modules, and characters of a path. */
const [MOST_UNITS, LONGEST_PATH] = [256, 200];

const DTYPES = ['float32', 'bfloat16', 'float16'] as const;

export const shardedSchema = settings({
  /**
   * What is sharded: 0 nothing (DDP), 1 the optimiser's state (ZeroRedundancyOptimizer), 2 gradients, too
   * (fully_shard with reshard_after_forward=False), 3 parameters, too (fully_shard).
   */
  stage: v.optional(count(0, 3), 3),
  /**
   * For stage 3: true also frees the parameters of the root after the forward pass. Absent: torch's default, which
   * frees the parameters of all units except the root.
   */
  reshardAfterForward: v.optional(v.boolean()),
  /**
   * For stage 3, reshard_after_forward as a number: after the forward pass a unit is kept in shards over this many
   * neighbouring ranks, which gather it among themselves for the backward pass. A factor of mesh.dpShard. Absent: the
   * shards of all ranks are gathered again.
   */
  reshardTo: v.optional(count(2, LIMITS.worldSize)),
  /**
   * Paths of the modules that are units, as '0' or 'blocks.1'; the root holds the rest. Absent: the model's blocks, or
   * if it has none, every layer with parameters.
   */
  modules: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_PATH))), v.maxLength(MOST_UNITS)),
  ),
  /**
   * Number of units that are gathered ahead of the computing unit (set_modules_to_forward_prefetch and
   * set_modules_to_backward_prefetch). Absent: torch's implicit prefetch.
   */
  prefetch: v.optional(count(0, 16)),
  /**
   * With gradient accumulation, true reduces the gradients of every micro-batch; false reduces only after the last
   * micro-batch (set_requires_gradient_sync(False) before), so that gradients stay whole until then.
   */
  syncEveryPass: v.optional(v.boolean(), true),
  /**
   * CPUOffloadPolicy, from stage 2 on: shards, their gradients and the optimiser's states are in the memory of the
   * host, and the optimiser runs there. Modelled: it changes the memory figures and the modelled clock, but no value.
   */
  cpuOffload: v.optional(v.boolean(), false),
  /**
   * MixedPrecisionPolicy's param_dtype, from stage 2 on: the type in which parameters are gathered and layers then
   * compute. Shards, their gradients and the optimiser's states stay float32.
   */
  paramDtype: v.optional(v.picklist(DTYPES), 'float32'),
  /**
   * MixedPrecisionPolicy's reduce_dtype: the type in which gradients are reduced. 'param' is torch's None: same as
   * paramDtype.
   */
  reduceDtype: v.optional(v.picklist(['param', ...DTYPES]), 'param'),
  /** MixedPrecisionPolicy's cast_forward_inputs: the samples are cast to paramDtype before the first layer. */
  castForwardInputs: v.optional(v.boolean(), true),
});
