/** Kernels that move elements and compute nothing: permute, slice, concatenate, gather, scatter. */
import type { KernelSpec } from './kernel-spec';

export const SHAPE_KERNELS = {} as const satisfies Record<string, KernelSpec>;
