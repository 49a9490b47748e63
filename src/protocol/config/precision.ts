/** Settings of mixed precision: the types in which layers compute, and torch.amp.GradScaler. */
import * as v from 'valibot';
import { count, real, settings } from './fields';

/**
 * autocast-…: torch.autocast. …-master: model.to() of half precision, and an optimiser that steps a float32 copy of the
 * weights. bf16: model.to(torch.bfloat16), with the weights, gradients and states of the optimiser all in bfloat16.
 */
export const PRECISIONS = ['float32', 'autocast-bf16', 'autocast-fp16', 'bf16-master', 'fp16-master', 'bf16'] as const;

/** The arguments of torch.amp.GradScaler, with torch's defaults. */
export const gradScalerSchema = settings({
  /** true: the loss is scaled before backward, and gradients are unscaled before the optimiser steps. */
  enabled: v.optional(v.boolean(), false),
  /** The scale of the first step. */
  initScale: v.optional(real(1e-6, 2 ** 127), 65_536),
  /** Factor of the scale after growthInterval consecutive steps without inf or NaN. */
  growthFactor: v.optional(real(1.000001, 1e6), 2),
  /** Factor of the scale after a step with an inf or a NaN, which the optimiser skips. */
  backoffFactor: v.optional(real(1e-6, 0.999999), 0.5),
  /** Number of consecutive steps without inf or NaN after which the scale grows. */
  growthInterval: v.optional(count(1, 1_000_000), 2000),
  /**
   * true: scaler.unscale_(optimizer) before the gradients are clipped; false: the script clips the scaled gradients,
   * and scaler.step() unscales them.
   */
  unscaleBeforeClip: v.optional(v.boolean(), true),
});
