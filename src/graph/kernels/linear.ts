/** Matrix products: linear layers, their gradients, matmul. */
import type { KernelSpec } from './kernel-spec';

/** Of the kernels that may stand in for each other. */
const PRODUCT_PARAMS = [
  'm: u32',
  'n: u32',
  'k: u32',
  'a_row: u32',
  'a_step: u32',
  'b_step: u32',
  'b_column: u32',
  'has_bias: u32',
] as const;

/** Of the kernels that walk batches of matrices. */
const BATCH_PARAMS = [
  'm: u32',
  'n: u32',
  'k: u32',
  'a_row: u32',
  'a_step: u32',
  'b_step: u32',
  'b_column: u32',
  'batch: u32',
  'z0: u32',
  'a_z0: u32',
  'b_z0: u32',
  'z1: u32',
  'a_z1: u32',
  'b_z1: u32',
  'z2: u32',
  'a_z2: u32',
  'b_z2: u32',
  's0: u32',
  'a_s0: u32',
  'b_s0: u32',
  's1: u32',
  'a_s1: u32',
  'b_s1: u32',
] as const;

export const LINEAR_KERNELS = {
  'ops/linear': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    overrides: ['HAS_BIAS', 'ACTIVATION', 'WIDTH', 'DEPTH'],
    workgroupSize: [32, 1],
  },
  'ops/linear-grad-input': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    overrides: ['WIDTH', 'DEPTH'],
    workgroupSize: [32, 1],
  },
  'ops/linear-grad-params': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'dy', access: 'read' },
      { name: 'dw', access: 'read_write' },
      { name: 'db', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    overrides: ['WIDTH', 'DEPTH'],
    workgroupSize: [32, 1],
  },
  'ops/linear-grad-weight': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'dy', access: 'read' },
      { name: 'dw', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    workgroupSize: [64, 1],
  },
  'ops/matmul': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: ['m: u32', 'n: u32', 'k: u32', 'a_row: u32', 'a_step: u32', 'b_step: u32', 'b_column: u32'],
    workgroupSize: [64, 1],
  },
  'ops/matmul-batched': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: BATCH_PARAMS,
    workgroupSize: [64, 1],
  },
  'matmul/batched': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: BATCH_PARAMS,
    workgroupSize: [64, 1],
  },
  'ops/matmul-tiled': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: PRODUCT_PARAMS,
    overrides: ['ACTIVATION'],
    workgroupSize: [4, 8],
  },
  'matmul/dots': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: PRODUCT_PARAMS,
    overrides: ['ACTIVATION'],
    workgroupSize: [4, 2],
  },
  'matmul/narrow': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: PRODUCT_PARAMS,
    overrides: ['ACTIVATION'],
    workgroupSize: [64, 1],
  },
  'matmul/workgroup': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: PRODUCT_PARAMS,
    overrides: ['ACTIVATION'],
    workgroupSize: [256, 1],
  },
  'matmul/rows': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: ['m: u32', 'n: u32', 'k: u32', 'a_row: u32', 'a_step: u32'],
    workgroupSize: [4, 8],
  },
} as const satisfies Record<string, KernelSpec>;
