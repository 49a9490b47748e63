/** Sums and other reductions over dimensions, and what works row by row (softmax and its kin). */
import type { KernelSpec } from './kernel-spec';

export const REDUCE_KERNELS = {
  'ops/softmax': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/softmax-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/log-softmax': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/log-softmax-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/sum': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'ops/sum-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
