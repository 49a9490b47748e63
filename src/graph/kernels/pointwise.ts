/** Elementwise operators, unary and with broadcasting, and their gradients. */
import type { KernelSpec } from './kernel-spec';

export const POINTWISE_KERNELS = {
  'ops/add': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32', 'period: u32'],
    workgroupSize: [64, 1],
  },
  'ops/add-grad-row': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'db', access: 'read_write' },
    ],
    params: ['rows: u32', 'columns: u32'],
    workgroupSize: [64, 1],
  },
  'ops/relu': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/relu-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/tanh': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/tanh-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/sigmoid': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/sigmoid-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/gelu': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    overrides: ['APPROXIMATE'],
    workgroupSize: [64, 1],
  },
  'ops/gelu-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    overrides: ['APPROXIMATE'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
