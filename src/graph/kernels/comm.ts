/**
 * Transfers between devices that share a GPUDevice (bits are moved as i32, so that class indices survive), gradients
 * into the flat bucket, pre-divided, and a whole all-reduce at once.
 */
import type { KernelSpec } from './kernel-spec';

export const COMM_KERNELS = {
  'comm/transfer': {
    tensors: [
      { name: 'source', access: 'read', dtype: 'i32' },
      { name: 'destination', access: 'read_write', dtype: 'i32' },
    ],
    params: [],
    segmented: true,
    overrides: ['JOIN', 'LANES'],
    workgroupSize: [64, 1],
  },
  'comm/transfer-within': {
    tensors: [{ name: 'memory', access: 'read_write', dtype: 'i32' }],
    params: [],
    segmented: true,
    overrides: ['JOIN', 'LANES'],
    workgroupSize: [64, 1],
  },
  'comm/transfer-vec4': {
    tensors: [
      { name: 'source', access: 'read', dtype: 'i32' },
      { name: 'destination', access: 'read_write', dtype: 'i32' },
    ],
    params: [],
    segmented: true,
    overrides: ['JOIN', 'LANES'],
    workgroupSize: [64, 1],
  },
  'comm/transfer-within-vec4': {
    tensors: [{ name: 'memory', access: 'read_write', dtype: 'i32' }],
    params: [],
    segmented: true,
    overrides: ['JOIN', 'LANES'],
    workgroupSize: [64, 1],
  },
  'comm/fold': {
    tensors: [{ name: 'memory', access: 'read_write' }],
    params: ['scale: f32', 'guard: u32'],
    segmented: true,
    overrides: ['TERMS', 'TARGETS', 'VECTORS', 'LANES'],
    workgroupSize: [64, 1],
  },
  'comm/fill': {
    tensors: [{ name: 'memory', access: 'read_write' }],
    params: ['value: f32'],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'comm/fold-tree': {
    tensors: [{ name: 'memory', access: 'read_write' }],
    params: ['scale: f32', 'guard: u32', 'joins: u32', 'joins_after: u32'],
    segmented: true,
    overrides: ['TERMS', 'TARGETS', 'LANES'],
    workgroupSize: [64, 1],
  },
  'comm/scale': {
    tensors: [{ name: 'memory', access: 'read_write' }],
    params: ['scale: f32'],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'comm/halves': {
    tensors: [
      { name: 'source', access: 'read', dtype: 'i32' },
      { name: 'destination', access: 'read_write', dtype: 'i32' },
    ],
    params: ['count: u32', 'length: u32', 'start: u32', 'divisor: u32'],
    overrides: ['MODE', 'BRAIN'],
    workgroupSize: [64, 1],
  },
  'ddp/pack': {
    tensors: [
      { name: 'gradient', access: 'read' },
      { name: 'bucket', access: 'read_write' },
    ],
    params: ['scale: f32'],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
