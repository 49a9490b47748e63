/** The losses and their gradients. */
import type { KernelSpec } from './kernel-spec';

export const LOSS_KERNELS = {
  'loss/mse': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'loss', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'loss/mse-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'upstream', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'loss/bce-with-logits': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'loss', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'loss/bce-with-logits-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'upstream', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'loss/cross-entropy': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'labels', access: 'read', dtype: 'i32' },
      { name: 'loss', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'mean: u32'],
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'loss/cross-entropy-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'labels', access: 'read', dtype: 'i32' },
      { name: 'upstream', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'mean: u32'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
