/** The losses: torch.nn's by their names, with its arguments and defaults. */
import * as v from 'valibot';
import { count, LIMITS, real } from './fields';

const reduction = v.optional(v.picklist(['mean', 'sum']), 'mean');
/** Targets with this class add nothing to the loss, and the mean does not count them. Kernels compare 32 bits. */
const ignored = count(-(2 ** 31), 2 ** 31 - 1);
const ignoreIndex = v.optional(ignored, -100);
const weights = v.optional(v.pipe(v.array(real(0, 1e6)), v.minLength(1), v.maxLength(LIMITS.units)));
/** `weight`: one weight per class. */
const classWeights = weights;

export const lossSchema = v.variant('type', [
  v.strictObject({ type: v.literal('MSELoss'), reduction }),
  v.strictObject({
    type: v.literal('CrossEntropyLoss'),
    reduction,
    /** Weight of the uniform distribution mixed into the target. Absent: 0. */
    labelSmoothing: v.optional(real(0, 1)),
    ignoreIndex: v.optional(ignored),
    classWeights,
  }),
  v.strictObject({
    type: v.literal('BCEWithLogitsLoss'),
    reduction,
    /** One factor per output for targets of 1, or a single factor for all outputs. */
    posWeight: weights,
  }),
  v.strictObject({ type: v.literal('L1Loss'), reduction }),
  v.strictObject({
    type: v.literal('SmoothL1Loss'),
    reduction,
    /** Where the parabola becomes a line. */
    beta: v.optional(real(0, 1e6), 1),
  }),
  v.strictObject({
    type: v.literal('HuberLoss'),
    reduction,
    /** Where the parabola becomes a line. torch refuses 0. */
    delta: v.optional(real(1e-6, 1e6), 1),
  }),
  v.strictObject({ type: v.literal('NLLLoss'), reduction, ignoreIndex, classWeights }),
]);

export type LossConfig = v.InferOutput<typeof lossSchema>;
