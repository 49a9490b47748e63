/** Normalisation layers: layer, batch and group norm. */
import type { KernelSpec } from './kernel-spec';

export const NORM_KERNELS = {
  'norm/batch-norm-eval-grad-input': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'invstd', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32'],
    overrides: ['AFFINE'],
    workgroupSize: [64, 1],
  },
  'norm/batch-norm-grad-input': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'mean', access: 'read' },
      { name: 'invstd', access: 'read' },
      { name: 'sum_dy', access: 'read' },
      { name: 'sum_dy_xmu', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32', 'inverse_count: f32'],
    overrides: ['AFFINE'],
    workgroupSize: [64, 1],
  },
  'norm/batch-norm-grad-reduce': {
    tensors: [
      { name: 'partial', access: 'read' },
      { name: 'invstd', access: 'read' },
      { name: 'dweight', access: 'read_write' },
      { name: 'dbias', access: 'read_write' },
      { name: 'sum_dy', access: 'read_write' },
      { name: 'sum_dy_xmu', access: 'read_write' },
    ],
    params: ['channels: u32', 'parts: u32'],
    workgroupSize: [64, 1],
  },
  'norm/batch-norm-statistics': {
    tensors: [
      { name: 'partial', access: 'read' },
      { name: 'mean', access: 'read_write' },
      { name: 'invstd', access: 'read_write' },
      { name: 'running_mean', access: 'read_write' },
      { name: 'running_var', access: 'read_write' },
      { name: 'tracked', access: 'read_write', dtype: 'i32' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32', 'eps: f32', 'momentum: f32'],
    overrides: ['CUMULATIVE'],
    workgroupSize: [64, 1],
  },
  'norm/batch-norm': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'mean', access: 'read' },
      { name: 'invstd', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32', 'span: u32'],
    overrides: ['AFFINE'],
    workgroupSize: [64, 1],
  },
  'norm/count-batch': {
    tensors: [{ name: 'tracked', access: 'read_write', dtype: 'i32' }],
    params: [],
    workgroupSize: [64, 1],
  },
  'norm/grad-sums': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'mean', access: 'read' },
      { name: 'partial', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32', 'span: u32'],
    workgroupSize: [64, 1],
  },
  'norm/group-norm-grad-input': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'mean', access: 'read' },
      { name: 'rstd', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'sums', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: [
      'batch: u32',
      'channels: u32',
      'plane: u32',
      'slices: u32',
      'lanes: u32',
      'span: u32',
      'inverse_count: f32',
    ],
    overrides: ['AFFINE'],
    workgroupSize: [64, 1],
  },
  'norm/group-norm-grad-params': {
    tensors: [
      { name: 'partial', access: 'read' },
      { name: 'rstd', access: 'read' },
      { name: 'dweight', access: 'read_write' },
      { name: 'dbias', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'span: u32', 'parts: u32'],
    workgroupSize: [64, 1],
  },
  'norm/group-norm-grad-sums': {
    tensors: [
      { name: 'partial', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'sums', access: 'read_write' },
    ],
    params: ['groups: u32', 'span: u32', 'parts: u32', 'channels: u32'],
    overrides: ['AFFINE'],
    workgroupSize: [64, 1],
  },
  'norm/invstd': {
    tensors: [
      { name: 'running_var', access: 'read' },
      { name: 'invstd', access: 'read_write' },
    ],
    params: ['channels: u32', 'eps: f32'],
    workgroupSize: [64, 1],
  },
  'norm/layer-norm-grad-input': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'mean', access: 'read' },
      { name: 'rstd', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'columns: u32'],
    overrides: ['AFFINE'],
    workgroupSize: [64, 1],
  },
  'norm/layer-norm-grad-params-join': {
    tensors: [
      { name: 'partial', access: 'read' },
      { name: 'dweight', access: 'read_write' },
      { name: 'dbias', access: 'read_write' },
    ],
    params: ['columns: u32', 'parts: u32'],
    workgroupSize: [64, 1],
  },
  'norm/layer-norm-grad-params': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'mean', access: 'read' },
      { name: 'rstd', access: 'read' },
      { name: 'partial', access: 'read_write' },
    ],
    params: ['rows: u32', 'columns: u32', 'parts: u32'],
    workgroupSize: [64, 1],
  },
  'norm/layer-norm': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'y', access: 'read_write' },
      { name: 'mean', access: 'read_write' },
      { name: 'rstd', access: 'read_write' },
    ],
    params: ['rows: u32', 'columns: u32', 'eps: f32'],
    overrides: ['AFFINE'],
    workgroupSize: [64, 1],
  },
  'norm/moments-combine': {
    tensors: [
      { name: 'partial', access: 'read' },
      { name: 'mean', access: 'read_write' },
      { name: 'invstd', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32', 'eps: f32'],
    workgroupSize: [64, 1],
  },
  'norm/moments': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'partial', access: 'read_write' },
    ],
    params: ['batch: u32', 'channels: u32', 'plane: u32', 'slices: u32', 'lanes: u32'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
