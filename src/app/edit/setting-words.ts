/**
 * Labels of the fields of the set-up, and their tooltips: PyTorch's name and one sentence. Paths are places in the
 * Config.
 */
export interface SettingWords {
  readonly label: string;
  readonly title: string;
}

const words = (label: string, title: string): SettingWords => ({ label, title });

/** Fields of the optimisers; an optimiser shows those that it has. */
export const OPTIMIZER_WORDS: Readonly<Record<string, SettingWords>> = {
  lr: words('Learning rate', 'lr: how far a step goes along its direction.'),
  momentum: words('Momentum', 'momentum: how much of the last direction is kept.'),
  nesterov: words('Nesterov', 'nesterov: looks one step of momentum ahead.'),
  weightDecay: words('Weight decay', 'weight_decay: pulls every parameter towards zero.'),
};
/** Less often changed, behind "more". */
export const MORE_OPTIMIZER_WORDS: Readonly<Record<string, SettingWords>> = {
  dampening: words('Dampening', 'dampening: how much less the new gradient counts in the momentum.'),
  beta1: words('Beta 1', 'betas[0]: how slowly the mean of the gradients changes.'),
  beta2: words('Beta 2', 'betas[1]: how slowly the mean of their squares changes.'),
  alpha: words('Alpha', 'alpha: how slowly the mean of the squared gradients changes.'),
  rho: words('Rho', 'rho: how slowly the mean of the squared gradients changes.'),
  eps: words('Epsilon', 'eps: added to the denominator, so that it is never zero.'),
  amsgrad: words('AMSGrad', 'amsgrad: divides by the largest mean of squares so far.'),
  centered: words('Centred', 'centered: divides by an estimate of the variance.'),
  lrDecay: words('Rate decay', 'lr_decay: the rate falls as 1 / (1 + step * lr_decay).'),
  initialAccumulatorValue: words('First sum', 'initial_accumulator_value: where the sum of squares begins.'),
  momentumDecay: words('Momentum decay', 'momentum_decay: how fast the momentum rises to beta 1.'),
  maximize: words('Maximise', 'maximize: goes up the gradient instead of down.'),
};

export const SCHEDULER_WORDS: Readonly<Record<string, SettingWords>> = {
  stepSize: words('Step size', 'step_size: the rate is multiplied by gamma every this many steps.'),
  gamma: words('Gamma', 'gamma: the factor by which the rate changes.'),
  tMax: words('T max', 'T_max: steps from the highest rate to the lowest.'),
  t0: words('First period', 'T_0: length of the first cosine.'),
  tMult: words('Period factor', 'T_mult: each cosine is T_mult times as long as the one before.'),
  etaMin: words('Lowest rate', 'eta_min: the lowest learning rate.'),
  startFactor: words('First factor', 'start_factor: the schedule starts at lr × start_factor.'),
  endFactor: words('Last factor', 'end_factor: the schedule ends at lr × end_factor.'),
  factor: words('Factor', 'factor: the rate is lr × factor for the first total_iters steps.'),
  totalIters: words('Iterations', 'total_iters: steps over which the rate changes.'),
  power: words('Power', 'power: exponent of the polynomial.'),
  baseLr: words('Lowest rate', 'base_lr: the rate at the beginning of each cycle.'),
  maxLr: words('Highest rate', 'max_lr: the peak of the cycle.'),
  totalSteps: words('Total steps', 'total_steps: length of the whole schedule.'),
  pctStart: words('Rising part', 'pct_start: the part of the cycle in which the rate rises.'),
  divFactor: words('Start divisor', 'div_factor: the first rate is max_lr / div_factor.'),
  finalDivFactor: words('End divisor', 'final_div_factor: the last rate is the first one / final_div_factor.'),
  stepSizeUp: words('Steps up', 'step_size_up: length of the rising half.'),
  stepSizeDown: words('Steps down', 'step_size_down: length of the falling half; empty: as long as the rising one.'),
  warmupSteps: words('Warm-up', 'LambdaLR: steps over which the rate rises.'),
  minFactor: words('Lowest factor', 'LambdaLR: the cosine ends at lr × this.'),
};

/** What a schedule has beside its numbers. */
export const SCHEDULES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  StepLR: { stepSize: 200 },
  ExponentialLR: { gamma: 0.995 },
  CosineAnnealingLR: { tMax: 500 },
  CosineAnnealingWarmRestarts: { t0: 200 },
  LinearLR: { totalIters: 100 },
  ConstantLR: { totalIters: 100 },
  PolynomialLR: { totalIters: 500 },
  OneCycleLR: { totalSteps: 500 },
  CyclicLR: { stepSizeUp: 200 },
  MultiStepLR: { milestones: [200, 400] },
  WarmupInverseSqrt: { warmupSteps: 100 },
  WarmupCosine: { warmupSteps: 50, totalSteps: 500 },
};
