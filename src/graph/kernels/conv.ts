/** Convolutions and pooling. */
import type { KernelSpec } from './kernel-spec';

export const CONV_KERNELS = {} as const satisfies Record<string, KernelSpec>;
