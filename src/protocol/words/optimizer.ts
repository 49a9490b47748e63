/** Words of the optimisers' settings, and of the groups of parameters. */
import type { OptimizerConfig, ParamGroupConfig } from '../config/optimizer';
import { type NameIn, settings } from './setting';

const OWN = {
  lr: ['Learning rate', 'lr: the size of a step along its direction.'],
  momentum: ['Momentum', 'momentum: how much of the last direction is kept; 0 is none.'],
  nesterov: ['Nesterov', 'nesterov: looks one step of momentum ahead; needs momentum above 0 and no dampening.'],
  weightDecay: [
    'Weight decay',
    'weight_decay: pulls every parameter towards zero; it is added to the gradient, except in AdamW.',
  ],
  dampening: ['Dampening', 'dampening: how much less the new gradient counts in the momentum.'],
  beta1: ['Beta 1', 'betas[0]: how slowly the mean of the gradients changes.'],
  beta2: ['Beta 2', 'betas[1]: how slowly the mean of the squared gradients changes.'],
  alpha: ['Alpha', 'alpha: how slowly the mean of the squared gradients changes.'],
  rho: ['Rho', 'rho: how slowly the means of the squared gradients and updates change.'],
  eps: ['Epsilon', 'eps: added to the denominator, so that it is never zero.'],
  amsgrad: ['AMSGrad', 'amsgrad: divides by the largest mean of squares so far.'],
  centered: ['Centred', 'centered: divides by an estimate of the variance.'],
  lrDecay: ['Rate decay', 'lr_decay: the rate falls as 1 / (1 + step * lr_decay).'],
  momentumDecay: ['Momentum decay', 'momentum_decay: how fast the momentum rises to beta 1.'],
  maximize: ['Maximise', 'maximize: steps up the gradient, so the loss grows.'],
  decoupledWeightDecay: [
    'Decoupled decay',
    'decoupled_weight_decay: weight decay shrinks the parameter, as in AdamW, and is not added to the gradient.',
  ],
} as const;

export const OPTIMIZER = settings<NameIn<OptimizerConfig>>('optimizer', {
  ...OWN,
  initialAccumulatorValue: ['First sum', 'initial_accumulator_value: initial value of the sum of squares.'],
});

export const PARAM_GROUP = settings<NameIn<ParamGroupConfig>>('paramGroups', {
  ...OWN,
  match: ['Parameters', "Names of parameters, with * for any text: '*.bias', 'blocks.*'."],
});
