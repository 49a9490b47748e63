/**
 * The activations that a matrix product can apply to its result: those whose gradient needs only the result. Codes of
 * ACTIVATION in the kernels.
 */
import type { Attrs } from '../../op';

export const FUSED_ACTIVATIONS = ['relu', 'tanh', 'sigmoid'] as const;

/** 0 without the attribute `activation` (or 'none'); else 1 relu, 2 tanh, 3 sigmoid. */
export const activationOf = (attrs: Attrs): number =>
  1 + FUSED_ACTIVATIONS.indexOf(attrs.activation as (typeof FUSED_ACTIVATIONS)[number]);
