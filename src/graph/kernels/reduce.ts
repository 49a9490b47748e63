/** Sums and other reductions over dimensions, and what works line by line (softmax and its kin). */
import type { KernelSpec } from './kernel-spec';

export const REDUCE_KERNELS = {
  'ops/softmax': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'ops/softmax-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'ops/log-softmax': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'ops/log-softmax-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'ops/sum': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['outer: u32', 'plane: u32', 'columns: u32', 'divisor: f32'],
    overrides: ['SQUARE', 'ROOT'],
    workgroupSize: [64, 1],
  },
  'reduce/sum-vec4': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['outer: u32', 'plane: u32', 'columns: u32', 'divisor: f32'],
    overrides: ['SQUARE', 'ROOT'],
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
  'reduce/sum-grad-vec4': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32', 'divisor: f32'],
    overrides: ['REPEAT'],
    workgroupSize: [64, 1],
  },
  'reduce/norm-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'reduce/var': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
      { name: 'mean', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'reduce/var-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'mean', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'reduce/max': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'weights', access: 'read', dtype: 'i32' },
      { name: 'y', access: 'read_write' },
      { name: 'aux', access: 'read_write', dtype: 'i32' },
    ],
    params: ['outer: u32', 'plane: u32', 'columns: u32'],
    overrides: ['TIES', 'WEIGHTED'],
    workgroupSize: [64, 1],
  },
  'reduce/max-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'index', access: 'read', dtype: 'i32' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'reduce/max-all-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'ties', access: 'read', dtype: 'i32' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'reduce/logsumexp': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'reduce/logsumexp-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32'],
    workgroupSize: [64, 1],
  },
  'reduce/cumsum': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32'],
    overrides: ['REVERSE'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
