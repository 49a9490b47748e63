/**
 * One step over all parameters of a group: the numbers of the step come from `scalars` (optim/scalars-layout.ts), the
 * states are torch's. Then the kernels of clip_grad_norm_ and clip_grad_value_.
 */
import type { KernelSpec } from './kernel-spec';

const read = (name: string) => ({ name, access: 'read' }) as const;
const write = (name: string) => ({ name, access: 'read_write' }) as const;

const step = (states: readonly string[], overrides: readonly string[] = []): KernelSpec => ({
  tensors: [read('scalars'), read('gradient'), write('parameter'), ...states.map(write)],
  params: [],
  segmented: true,
  overrides: [...overrides, 'LANES'],
  workgroupSize: [64, 1],
});

export const OPTIM_KERNELS = {
  'optim/sgd': step([]),
  'optim/sgd-momentum': step(['momentumBuffer'], ['NESTEROV']),
  'optim/adam': step(['expAvg', 'expAvgSq'], ['DECOUPLED']),
  'optim/adam-amsgrad': step(['expAvg', 'expAvgSq', 'maxExpAvgSq'], ['DECOUPLED']),
  'optim/rmsprop': step(['squareAvg']),
  'optim/rmsprop-momentum': step(['squareAvg', 'momentumBuffer']),
  'optim/rmsprop-centered': step(['squareAvg', 'gradAvg']),
  'optim/rmsprop-centered-momentum': step(['squareAvg', 'gradAvg', 'momentumBuffer']),
  'optim/adagrad': step(['sum']),
  'optim/adadelta': step(['squareAvg', 'accDelta']),
  'optim/adamax': step(['expAvg', 'expInf']),
  'optim/nadam': step(['expAvg', 'expAvgSq']),
  'optim/radam': step(['expAvg', 'expAvgSq']),
  'optim/power-sums': {
    tensors: [read('gradient'), read('start'), write('sums')],
    params: [],
    segmented: true,
    overrides: ['LANES', 'P'],
    workgroupSize: [64, 1],
  },
  'optim/total-norm': {
    tensors: [read('sums'), write('total')],
    params: ['count: u32', 'share: u32'],
    overrides: ['ROOT', 'P'],
    workgroupSize: [256, 1],
  },
  'optim/clip-grad-norm': {
    tensors: [read('norm'), write('gradient')],
    params: ['max_norm: f32'],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'optim/clip-grad-value': {
    tensors: [write('gradient')],
    params: ['clip_value: f32'],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;
