/** The losses: torch.nn's by their names, with its arguments and defaults. */
import * as v from 'valibot';
import { LIMITS, real } from './fields';

const reduction = v.optional(v.picklist(['mean', 'sum']), 'mean');
/** Targets with this class count nowhere. */
const ignoreIndex = v.optional(v.pipe(v.number(), v.integer()), -100);
/** A weight a class. */
const classWeights = v.optional(v.pipe(v.array(real(0, 1e6)), v.minLength(1), v.maxLength(LIMITS.units)));

export const lossSchema = v.variant('type', [
  v.strictObject({ type: v.literal('MSELoss'), reduction }),
  v.strictObject({
    type: v.literal('CrossEntropyLoss'),
    reduction,
    /** Weight of the uniform distribution mixed into the target. Absent: 0. */
    labelSmoothing: v.optional(real(0, 1)),
    ignoreIndex: v.optional(v.pipe(v.number(), v.integer())),
    classWeights,
  }),
  v.strictObject({ type: v.literal('BCEWithLogitsLoss'), reduction }),
  v.strictObject({ type: v.literal('L1Loss'), reduction }),
  v.strictObject({
    type: v.literal('SmoothL1Loss'),
    reduction,
    /** Where the parabola becomes a line. */
    beta: v.optional(real(0, 1e6), 1),
  }),
  v.strictObject({ type: v.literal('NLLLoss'), reduction, ignoreIndex, classWeights }),
]);

export type LossConfig = v.InferOutput<typeof lossSchema>;
