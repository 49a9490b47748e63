/** One step over all parameters of a device; the numbers of the step come from `scalars` (optim/scalars.ts). */
import type { KernelSpec } from './kernel-spec';

export const OPTIM_KERNELS = {
  'optim/sgd': {
    tensors: [
      { name: 'scalars', access: 'read' },
      { name: 'gradient', access: 'read' },
      { name: 'parameter', access: 'read_write' },
    ],
    params: [],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'optim/sgd-momentum': {
    tensors: [
      { name: 'scalars', access: 'read' },
      { name: 'gradient', access: 'read' },
      { name: 'parameter', access: 'read_write' },
      { name: 'momentumBuffer', access: 'read_write' },
    ],
    params: [],
    segmented: true,
    overrides: ['NESTEROV', 'LANES'],
    workgroupSize: [64, 1],
  },
  'optim/adam': {
    tensors: [
      { name: 'scalars', access: 'read' },
      { name: 'gradient', access: 'read' },
      { name: 'parameter', access: 'read_write' },
      { name: 'expAvg', access: 'read_write' },
      { name: 'expAvgSq', access: 'read_write' },
    ],
    params: [],
    segmented: true,
    overrides: ['DECOUPLED', 'LANES'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
