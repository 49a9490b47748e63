/** Normalisation layers: layer, batch and group norm. */
import type { KernelSpec } from './kernel-spec';

export const NORM_KERNELS = {} as const satisfies Record<string, KernelSpec>;
