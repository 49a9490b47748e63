/** What DDP's communication hooks compute on buckets: PowerSGD's products, orthonormal columns and error feedback. */
import type { KernelSpec } from './kernel-spec';

export const COMM_HOOK_KERNELS = {
  'comm/strided-product': {
    tensors: [
      { name: 'left', access: 'read' },
      { name: 'right', access: 'read' },
      { name: 'out', access: 'read_write' },
    ],
    params: [
      'rows: u32',
      'columns: u32',
      'depth: u32',
      'left_at: u32',
      'left_row: u32',
      'left_step: u32',
      'right_at: u32',
      'right_row: u32',
      'right_step: u32',
      'out_at: u32',
    ],
    workgroupSize: [64, 1],
  },
  'comm/orthogonalize': {
    tensors: [{ name: 'memory', access: 'read_write' }],
    params: ['rows: u32', 'columns: u32', 'at: u32'],
    overrides: ['QR'],
    workgroupSize: [64, 1],
  },
  'comm/error-feedback': {
    tensors: [
      { name: 'error', access: 'read_write' },
      { name: 'bucket', access: 'read_write' },
    ],
    params: ['count: u32'],
    overrides: ['OUT'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
