/** Table look-up and its gradient. */
import type { KernelSpec } from './kernel-spec';

export const EMBEDDING_KERNELS = {} as const satisfies Record<string, KernelSpec>;
