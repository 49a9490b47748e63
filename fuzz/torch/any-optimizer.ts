/** Optimisers and schedulers of learning rates. An `eps` of 1e-3 keeps a gradient of 0 from becoming a whole step. */
import type { ConfigInput } from '../../src/protocol/config';
import { type Gen, int, often, one, some } from './draws';

type Optimizer = NonNullable<ConfigInput['optimizer']>;
type Scheduler = NonNullable<ConfigInput['scheduler']>;

export function anyOptimizer(g: Gen): Optimizer {
  const eps = { eps: 1e-3 };
  const decay = some(g, 30, () => ({ weightDecay: 0.01 }));
  const maximize = some(g, 8, () => ({ maximize: true }));
  const decoupled = some(g, 15, () => ({ weightDecay: 0.05, decoupledWeightDecay: true }));
  const betas = some(g, 20, () => ({ beta1: one(g, 0, 0.5, 0.8), beta2: one(g, 0.9, 0.99) }));
  return one<() => Optimizer>(
    g,
    () => ({ type: 'SGD', lr: 0.1 }),
    () => ({ type: 'SGD', lr: 0.05, momentum: 0.9, ...maximize }),
    () => ({ type: 'SGD', lr: 0.05, momentum: 0.8, nesterov: true, weightDecay: 0.01 }),
    () => ({ type: 'SGD', lr: 0.05, momentum: 0.5, dampening: 0.1, ...decay }),
    () => ({ type: 'Adam', lr: 0.01, ...eps, ...betas, ...decay, ...maximize, ...decoupled }),
    () => ({ type: 'AdamW', lr: 0.01, ...eps, ...betas, weightDecay: 0.1 }),
    () => ({ type: 'Adam', lr: 0.01, ...eps, amsgrad: true, ...decay }),
    () => ({ type: 'RMSprop', lr: 0.005, ...eps, momentum: one(g, 0, 0.5), centered: often(g, 50), ...decay }),
    () => ({ type: 'Adagrad', lr: 0.02, ...eps, ...decay, lrDecay: one(g, 0, 0.1) }),
    () => ({ type: 'Adagrad', lr: 0.02, ...eps, initialAccumulatorValue: 0.2, ...maximize }),
    () => ({ type: 'Adadelta', lr: 0.5, ...eps, rho: one(g, 0.9, 0.5), ...decay, ...maximize }),
    () => ({ type: 'Adamax', lr: 0.005, ...eps, ...betas, ...decay, ...maximize }),
    () => ({ type: 'NAdam', lr: 0.005, ...eps, ...betas, ...decoupled, momentumDecay: one(g, 0.004, 0.1) }),
    () => ({ type: 'RAdam', lr: 0.005, ...eps, beta2: one(g, 0.999, 0.6), ...decay, ...decoupled }),
  )();
}

const simple = (g: Gen): Exclude<Scheduler, { type: 'SequentialLR' }> =>
  one<Exclude<Scheduler, { type: 'SequentialLR' }>>(
    g,
    { type: 'StepLR', stepSize: 2, gamma: 0.5 },
    { type: 'MultiStepLR', milestones: [1, 3], gamma: 0.3 },
    { type: 'ExponentialLR', gamma: 0.9 },
    { type: 'CosineAnnealingLR', tMax: int(g, 2, 6), etaMin: 0.001 },
    { type: 'CosineAnnealingWarmRestarts' as const, t0: 2, tMult: int(g, 1, 2) },
    { type: 'LinearLR', totalIters: 3, ...some(g, 50, () => ({ startFactor: 0.2, endFactor: 0.7 })) },
    { type: 'ConstantLR', factor: 0.5, totalIters: 2 },
    { type: 'PolynomialLR', totalIters: 4, power: 2 },
    { type: 'WarmupInverseSqrt' as const, warmupSteps: 3 },
    { type: 'WarmupCosine' as const, warmupSteps: 2, totalSteps: 6, ...some(g, 30, () => ({ minFactor: 0 })) },
  );

/** Cycles of momentum are for SGD with momentum and the relatives of Adam. */
export function anyScheduler(g: Gen, optimizer: Optimizer): Scheduler {
  const every = some(g, 25, () => ({ every: 'epoch' as const }));
  const cycleMomentum = /Adam/.test(optimizer.type) || ('momentum' in optimizer && optimizer.momentum !== 0);
  return one<() => Scheduler>(
    g,
    () => ({ ...simple(g), ...every }),
    () => ({ ...simple(g), ...every }),
    () => ({
      type: 'OneCycleLR',
      maxLr: 0.05,
      totalSteps: 9,
      cycleMomentum,
      annealStrategy: one(g, 'cos', 'linear'),
      threePhase: often(g, 30),
      ...some(g, 30, () => ({ pctStart: 0.5, divFactor: 5, finalDivFactor: 100 })),
      ...(cycleMomentum ? some(g, 30, () => ({ baseMomentum: 0.5, maxMomentum: 0.8 })) : {}),
    }),
    () => ({
      type: 'CyclicLR',
      baseLr: 0.005,
      maxLr: 0.05,
      stepSizeUp: 2,
      ...some(g, 40, () => ({ stepSizeDown: int(g, 1, 4) })),
      mode: one(g, 'triangular', 'triangular2', 'exp_range'),
      gamma: 0.9,
      cycleMomentum,
    }),
    () => ({ type: 'SequentialLR', schedulers: [simple(g), simple(g)], milestones: [2] }),
  )();
}
