/** Scaled dot-product attention without the score matrix. */
import type { KernelSpec } from './kernel-spec';

export const ATTENTION_KERNELS = {} as const satisfies Record<string, KernelSpec>;
