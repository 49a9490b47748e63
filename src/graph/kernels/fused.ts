/** Kernels of the fused operators (ops/fused). */
import type { KernelSpec } from './kernel-spec';

export const FUSED_KERNELS = {
  'fused/linear-backward': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'dw', access: 'read_write' },
      { name: 'db', access: 'read_write' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    overrides: ['ACTIVATION', 'WIDTH', 'DEPTH'],
    workgroupSize: [32, 1],
  },
  'fused/linear-backward-params': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'dw', access: 'read_write' },
      { name: 'db', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    overrides: ['ACTIVATION', 'WIDTH', 'DEPTH'],
    workgroupSize: [32, 1],
  },
  'fused/element-loss': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'upstream', access: 'read' },
      { name: 'loss', access: 'read_write' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32', 'p: f32'],
    overrides: ['FUNCTION', 'WIDTH', 'DEPTH'],
    workgroupSize: [32, 1],
  },
} as const satisfies Record<string, KernelSpec>;
