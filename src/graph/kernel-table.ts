/**
 * Every kernel, by its path under shaders/ without extension: one row says what the .wgsl file declares (kernels/, a
 * file a family). The runtime builds explicit bind group layouts from it; a test holds each row against its file.
 */
import { ATTENTION_KERNELS } from './kernels/attention';
import { COMM_KERNELS } from './kernels/comm';
import { COMM_HOOK_KERNELS } from './kernels/comm-hooks';
import { CONV_KERNELS } from './kernels/conv';
import { EMBEDDING_KERNELS } from './kernels/embedding';
import { FUSED_KERNELS } from './kernels/fused';
import { LINEAR_KERNELS } from './kernels/linear';
import { LOSS_KERNELS } from './kernels/loss';
import { NORM_KERNELS } from './kernels/norm';
import { OPTIM_KERNELS } from './kernels/optim';
import { POINTWISE_KERNELS } from './kernels/pointwise';
import { REDUCE_KERNELS } from './kernels/reduce';
import { SHAPE_KERNELS } from './kernels/shape';
import { SYNC_NORM_KERNELS } from './kernels/sync-norm';

export const KERNELS = {
  ...COMM_KERNELS,
  ...COMM_HOOK_KERNELS,
  ...OPTIM_KERNELS,
  ...ATTENTION_KERNELS,
  ...CONV_KERNELS,
  ...EMBEDDING_KERNELS,
  ...FUSED_KERNELS,
  ...LINEAR_KERNELS,
  ...LOSS_KERNELS,
  ...NORM_KERNELS,
  ...SYNC_NORM_KERNELS,
  ...POINTWISE_KERNELS,
  ...REDUCE_KERNELS,
  ...SHAPE_KERNELS,
} as const;

export type { KernelSpec } from './kernels/kernel-spec';
export type KernelId = keyof typeof KERNELS;
