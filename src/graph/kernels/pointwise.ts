/** Elementwise operators, unary and with broadcasting, and their gradients. */
import type { KernelSpec } from './kernel-spec';

/** One parameter a dimension, of MAX_DIMS: 'size0: u32' ... */
const SIZES = ['size0: u32', 'size1: u32', 'size2: u32', 'size3: u32', 'size4: u32', 'size5: u32'] as const;
const A_STEPS = ['a0: u32', 'a1: u32', 'a2: u32', 'a3: u32', 'a4: u32', 'a5: u32'] as const;
const B_STEPS = ['b0: u32', 'b1: u32', 'b2: u32', 'b3: u32', 'b4: u32', 'b5: u32'] as const;
const DY_STEPS = ['dy0: u32', 'dy1: u32', 'dy2: u32', 'dy3: u32', 'dy4: u32', 'dy5: u32'] as const;
const MASK_STEPS = ['mask0: u32', 'mask1: u32', 'mask2: u32', 'mask3: u32', 'mask4: u32', 'mask5: u32'] as const;

const AB_TO_Y = [
  { name: 'a', access: 'read' },
  { name: 'b', access: 'read' },
  { name: 'y', access: 'read_write' },
] as const;

export const POINTWISE_KERNELS = {
  'pointwise/unary': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32', 'p: f32', 'q: f32'],
    overrides: ['FUNCTION', 'WIDTH', 'DEPTH'],
    workgroupSize: [64, 1],
  },
  'pointwise/unary-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'saved', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'p: f32', 'q: f32'],
    overrides: ['FUNCTION', 'WIDTH', 'DEPTH'],
    workgroupSize: [64, 1],
  },
  'pointwise/binary': {
    tensors: AB_TO_Y,
    params: ['n: u32', 'period: u32', 'p: f32'],
    overrides: ['FUNCTION', 'REPEATS'],
    workgroupSize: [64, 1],
  },
  'pointwise/chain': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'c', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32', 'p0: f32', 'q0: f32', 'p1: f32', 'q1: f32', 'p2: f32', 'q2: f32'],
    overrides: ['F0', 'F1', 'F2'],
    workgroupSize: [64, 1],
  },
  'pointwise/broadcast': {
    tensors: AB_TO_Y,
    params: ['n: u32', 'p: f32', ...SIZES, ...A_STEPS, ...B_STEPS],
    overrides: ['FUNCTION', 'DIMS'],
    workgroupSize: [64, 1],
  },
  'pointwise/broadcast-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'chains: u32', 'length: u32', ...SIZES, ...DY_STEPS, ...A_STEPS, ...B_STEPS],
    overrides: ['GRADIENT', 'DIMS', 'KEPT'],
    workgroupSize: [64, 1],
  },
  'pointwise/where': {
    tensors: [
      { name: 'mask', access: 'read', dtype: 'i32' },
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32', 'value: f32', ...SIZES, ...MASK_STEPS, ...A_STEPS, ...B_STEPS],
    overrides: ['TAKE_A_WHEN', 'FILL', 'DIMS'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
