/**
 * The types of a pipeline's schedule that both sides of the worker wall use: a rank's computations, by stage and
 * micro-batch, and the names of torch's schedules. `schedules/` makes lists of computations, `parallel/pipeline`
 * compiles them, traces contain them. Plain data. Source: torch.distributed.pipelining.schedules.
 */

/**
 * F: forward. B: the whole backward. I: the part of backward that makes the gradient of the stage's input. W: the rest
 * of backward, which makes the gradients of the parameters.
 */
export const COMPUTATIONS = ['F', 'B', 'I', 'W'] as const;
export type Computation = (typeof COMPUTATIONS)[number];

/** A cell of a schedule: torch prints '2F0' for the forward of micro-batch 0 in stage 2. */
export interface PipelineAction {
  readonly stage: number;
  readonly kind: Computation;
  readonly microBatch: number;
}

/** Names in torch.distributed.pipelining (get_schedule_class). */
export const SCHEDULE_NAMES = [
  'GPipe',
  '1F1B',
  'LoopedBFS',
  'Interleaved1F1B',
  'InterleavedZeroBubble',
  'ZBVZeroBubble',
  'DualPipeV',
] as const;
export type ScheduleName = (typeof SCHEDULE_NAMES)[number];
