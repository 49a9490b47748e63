/**
 * A table of the optimisers: the states of a parameter, the operator of the step, and the numbers that the operator's
 * kernel reads in a step. Every run loads this table. How a step changes one element is in the optimiser's own file,
 * and a run loads only the file of its own optimiser (late-ops.ts).
 */
import type { Attrs } from '../graph/op';
import type { OptimizerConfig } from '../protocol/config';
import { isDecoupled } from '../protocol/config/optimizer-kinds';
import { nadamFactors } from './nadam-product';

type OptimizerType = OptimizerConfig['type'];
type Of<T extends OptimizerType> = Extract<OptimizerConfig, { type: T }>;

/** The inputs of a step's scalars besides the settings. */
export interface OptimizerStep {
  readonly lr: number;
  /** Or beta1. */
  readonly momentum: number;
  /** 1, 2, ... */
  readonly t: number;
  /** The product of NAdam's mu over all steps, this one included; 1 for other optimisers. */
  readonly muProduct: number;
}

/** `hasMomentum`: the settings have a momentum, or a schedule sets one before the first step. */
interface OptimizerKind<O extends OptimizerConfig> {
  /** Names of torch's `state_dict`, in operand order. */
  readonly states: (optimizer: O, hasMomentum: boolean) => readonly string[];
  /** Initial value of a state's elements. Absent: 0. */
  readonly fill?: (optimizer: O) => number;
  readonly op: (optimizer: O, hasMomentum: boolean) => readonly [name: string, attrs: Attrs];
  /** Numbers 2 and on of the kernel's `scalars` (scalars-layout.ts). */
  readonly scalars: (optimizer: O, step: OptimizerStep) => readonly number[];
}

const NO_ATTRS: Attrs = {};
const MOMENTUM = 'momentum_buffer';

/** The decay factors of the averages of the gradient and its square, and one minus each. */
const averages = ({ momentum }: OptimizerStep, { beta2 }: { readonly beta2: number }): readonly number[] => [
  momentum,
  1 - momentum,
  beta2,
  1 - beta2,
];

/** Adam's row; AdamW differs in the weight decay. */
const ADAM: OptimizerKind<Of<'Adam' | 'AdamW'>> = {
  states: ({ amsgrad }) => ['exp_avg', 'exp_avg_sq', ...(amsgrad ? ['max_exp_avg_sq'] : [])],
  op: (optimizer) => ['optim/adam', { decoupled: isDecoupled(optimizer), amsgrad: optimizer.amsgrad }],
  scalars: (optimizer, step) => {
    const stepSize = step.lr / (1 - step.momentum ** step.t);
    return [...averages(step, optimizer), stepSize, Math.sqrt(1 - optimizer.beta2 ** step.t), optimizer.eps];
  },
};

const KINDS: { readonly [T in OptimizerType]: OptimizerKind<Of<T>> } = {
  SGD: {
    states: (_, hasMomentum) => (hasMomentum ? [MOMENTUM] : []),
    op: ({ nesterov }, hasMomentum) => (hasMomentum ? ['optim/sgd-momentum', { nesterov }] : ['optim/sgd', NO_ATTRS]),
    // torch's first step copies the gradient into the buffer, without dampening. The buffer is zero then, so the
    // factors 0 and 1 do the same.
    scalars: ({ dampening }, { momentum, t }) => [momentum, t === 1 ? 0 : momentum, t === 1 ? 1 : 1 - dampening],
  },
  Adam: ADAM,
  AdamW: ADAM,
  RMSprop: {
    states: ({ centered }, hasMomentum) => [
      'square_avg',
      ...(centered ? ['grad_avg'] : []),
      ...(hasMomentum ? [MOMENTUM] : []),
    ],
    op: ({ centered }, momentum) => ['optim/rmsprop', { momentum, centered }],
    scalars: ({ alpha, eps }, { momentum }) => [alpha, 1 - alpha, momentum, eps],
  },
  Adagrad: {
    states: () => ['sum'],
    fill: ({ initialAccumulatorValue }) => initialAccumulatorValue,
    op: () => ['optim/adagrad', NO_ATTRS],
    scalars: ({ lrDecay, eps }, { lr, t }) => [lr / (1 + (t - 1) * lrDecay), eps],
  },
  Adadelta: {
    states: () => ['square_avg', 'acc_delta'],
    op: () => ['optim/adadelta', NO_ATTRS],
    scalars: ({ rho, eps }) => [rho, 1 - rho, eps],
  },
  Adamax: {
    states: () => ['exp_avg', 'exp_inf'],
    op: () => ['optim/adamax', NO_ATTRS],
    scalars: ({ beta2, eps }, { lr, momentum, t }) => [momentum, 1 - momentum, beta2, lr / (1 - momentum ** t), eps],
  },
  NAdam: {
    states: () => ['exp_avg', 'exp_avg_sq'],
    op: (optimizer) => ['optim/nadam', { decoupled: isDecoupled(optimizer) }],
    scalars: (optimizer, step) => [
      ...averages(step, optimizer),
      ...nadamFactors(optimizer, step),
      optimizer.eps,
      1 - optimizer.beta2 ** step.t,
    ],
  },
  RAdam: {
    states: () => ['exp_avg', 'exp_avg_sq'],
    op: (optimizer) => ['optim/radam', { decoupled: isDecoupled(optimizer) }],
    scalars: (optimizer, step) => {
      const { beta2, eps } = optimizer;
      const { momentum, t } = step;
      const root = Math.sqrt(1 - beta2 ** t);
      return [...averages(step, optimizer), 1 - momentum ** t, root, eps, rectification(beta2, t)];
    },
  },
};

/** sqrt of the variance rectification term; 0 while the approximated length of the moving average is at most 5. */
function rectification(beta2: number, t: number): number {
  const most = 2 / (1 - beta2) - 1;
  const length = most - (2 * t * beta2 ** t) / (1 - beta2 ** t);
  if (length <= 5) return 0;
  return Math.sqrt(((length - 4) * (length - 2) * most) / ((most - 4) * (most - 2) * length));
}

/** Each row takes the optimiser of its own type, which TypeScript does not follow through the table. */
export const kindOf = (optimizer: OptimizerConfig): OptimizerKind<OptimizerConfig> =>
  KINDS[optimizer.type] as OptimizerKind<OptimizerConfig>;
