/** The schedules of the learning rate that the page offers, each with settings that show what it does. */
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
  SequentialLR: {
    schedulers: [
      { type: 'LinearLR', totalIters: 100 },
      { type: 'CosineAnnealingLR', tMax: 400 },
    ],
    milestones: [100],
  },
  WarmupInverseSqrt: { warmupSteps: 100 },
  WarmupCosine: { warmupSteps: 50, totalSteps: 500 },
};
