/** Words of the settings of the learning-rate schedules. */
import type { SchedulerConfig } from '../config/scheduler';
import { type NameIn, settings } from './setting';

export const SCHEDULER = settings<NameIn<SchedulerConfig>>('scheduler', {
  every: [
    'Stepped every',
    'When scheduler.step() is called: after each step of the optimizer, or at the end of an epoch.',
  ],
  schedulers: ['Schedules', 'schedulers: the schedules that follow each other, as in LinearLR(totalIters:100).'],
  milestones: ['Milestones', 'milestones: steps at which the rate drops, or the next schedule takes over.'],
  stepSize: ['Step size', 'step_size: the rate is multiplied by gamma every this many steps.'],
  gamma: ['Gamma', 'gamma: the factor by which the rate changes.'],
  tMax: ['T max', 'T_max: steps from the highest rate to the lowest.'],
  t0: ['First period', 'T_0: steps of the first cosine.'],
  tMult: ['Period factor', 'T_mult: each cosine is T_mult times as long as the one before.'],
  etaMin: ['Lowest rate', 'eta_min: the lowest learning rate.'],
  startFactor: ['First factor', 'start_factor: the schedule starts at lr × start_factor.'],
  endFactor: ['Last factor', 'end_factor: the schedule ends at lr × end_factor.'],
  factor: ['Factor', 'factor: the rate is lr × factor for the first total_iters steps.'],
  totalIters: ['Iterations', 'total_iters: steps over which the rate changes.'],
  power: ['Power', 'power: exponent of the polynomial.'],
  baseLr: ['Lowest rate', 'base_lr: the rate at the beginning of each cycle.'],
  maxLr: ['Highest rate', 'max_lr: the peak of the cycle.'],
  totalSteps: ['Total steps', 'total_steps: length of the whole schedule.'],
  pctStart: ['Rising part', 'pct_start: the part of the cycle in which the rate rises.'],
  divFactor: ['Start divisor', 'div_factor: the first rate is max_lr / div_factor.'],
  finalDivFactor: ['End divisor', 'final_div_factor: the last rate is the first one / final_div_factor.'],
  annealStrategy: ['Annealing', 'anneal_strategy: the rate changes along a cosine or along straight lines.'],
  threePhase: [
    'Three phases',
    'three_phase: after rising, the rate falls to the first rate in as many steps, then on to the last rate.',
  ],
  stepSizeUp: ['Steps up', 'step_size_up: length of the rising half.'],
  stepSizeDown: ['Steps down', 'step_size_down: length of the falling half; by default as long as the rising half.'],
  mode: [
    'Height of cycles',
    'mode: all cycles have equal height, each has half the height of the one before, or the height is multiplied by gamma every step.',
  ],
  cycleMomentum: [
    'Cycle momentum',
    'cycle_momentum: the momentum (of Adam and its relatives: beta1) falls while the rate rises, and rises while the rate falls.',
  ],
  baseMomentum: ['Lowest momentum', 'base_momentum: the momentum at the highest rate.'],
  maxMomentum: ['Highest momentum', 'max_momentum: the momentum at the lowest rate.'],
  warmupSteps: ['Warm-up', 'LambdaLR: steps over which the rate rises.'],
  minFactor: ['Lowest factor', 'LambdaLR: the cosine ends at lr × this.'],
});
