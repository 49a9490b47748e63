/** The losses and their gradients. */
import type { KernelSpec } from './kernel-spec';

export const LOSS_KERNELS = {
  'loss/elementwise': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'pos_weight', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32', 'parts: u32', 'period: u32', 'divisor: f32', 'p: f32'],
    overrides: ['FUNCTION', 'HAS_POS_WEIGHT', 'WIDTH', 'DEPTH'],
    workgroupSize: [64, 1],
  },
  'loss/elementwise-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'pos_weight', access: 'read' },
      { name: 'upstream', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'period: u32', 'divisor: f32', 'sign: f32', 'p: f32'],
    overrides: ['FUNCTION', 'HAS_POS_WEIGHT', 'PER_ELEMENT', 'WIDTH', 'DEPTH'],
    workgroupSize: [64, 1],
  },
  'loss/cross-entropy': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'x_4', access: 'read' },
      { name: 'labels', access: 'read', dtype: 'i32' },
      { name: 'weights', access: 'read' },
      { name: 'stats', access: 'read_write' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'inner: u32', 'ignore_index: u32', 'smoothing: f32'],
    overrides: ['TARGET', 'LOG_PROBS', 'WEIGHTED', 'STRIDED', 'WHOLE', 'REDUCTION'],
    workgroupSize: [64, 1],
  },
  'loss/cross-entropy-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'labels', access: 'read', dtype: 'i32' },
      { name: 'weights', access: 'read' },
      { name: 'upstream', access: 'read' },
      { name: 'stats', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'rows: u32', 'classes: u32', 'inner: u32', 'ignore_index: u32', 'smoothing: f32'],
    overrides: ['TARGET', 'LOG_PROBS', 'WEIGHTED', 'STRIDED', 'REDUCTION'],
    workgroupSize: [64, 1],
  },
  'loss/mean': {
    tensors: [
      { name: 'parts', access: 'read' },
      { name: 'stats', access: 'read_write' },
      { name: 'loss', access: 'read_write' },
    ],
    params: ['n: u32', 'last: u32'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
