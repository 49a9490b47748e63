/**
 * The activations that a matrix product can apply to its result: those whose gradient needs only the result. Codes of
 * ACTIVATION in the kernels.
 */
import type { Attrs } from '../../op';

export const FUSED_ACTIVATIONS = ['relu', 'tanh', 'sigmoid'] as const;

/** 0 without attribute `activation` (or with 'none'), 1 for relu, 2 for tanh, 3 for sigmoid. */
export const activationOf = (attrs: Attrs): number =>
  1 + FUSED_ACTIVATIONS.indexOf(attrs.activation as (typeof FUSED_ACTIVATIONS)[number]);
