/** SyncBatchNorm's statistics, before and after the all-gather. */
import type { KernelSpec } from './kernel-spec';

export const SYNC_NORM_KERNELS = {
  'norm/sync-batch-norm-stats': {
    tensors: [
      { name: 'partial', access: 'read' },
      { name: 'own', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32', 'width: u32', 'eps: f32'],
    workgroupSize: [64, 1],
  },
  'norm/sync-batch-norm-gather': {
    tensors: [
      { name: 'gathered', access: 'read' },
      { name: 'mean', access: 'read_write' },
      { name: 'invstd', access: 'read_write' },
      { name: 'running_mean', access: 'read_write' },
      { name: 'running_var', access: 'read_write' },
      { name: 'tracked', access: 'read_write', dtype: 'i32' },
    ],
    params: ['channels: u32', 'ranks: u32', 'eps: f32', 'momentum: f32'],
    overrides: ['CUMULATIVE'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
