/**
 * Learning-rate schedules: torch.optim.lr_scheduler's by their names. `every` says when scheduler.step() is called:
 * after each optimiser step, or at the end of each epoch. (ReduceLROnPlateau is missing: it needs a loss before the
 * next step can be enqueued.)
 */
import * as v from 'valibot';
import { count, real } from './fields';

const steps = count(1, 10_000_000);
const rate = real(0, 100);
const gamma = (value: number) => v.optional(real(0, 10), value);

const fields = {
  StepLR: { stepSize: steps, gamma: gamma(0.1) },
  MultiStepLR: { milestones: v.pipe(v.array(steps), v.minLength(1), v.maxLength(64)), gamma: gamma(0.1) },
  ExponentialLR: { gamma: real(0, 10) },
  CosineAnnealingLR: { tMax: steps, etaMin: v.optional(rate, 0) },
  CosineAnnealingWarmRestarts: { t0: steps, tMult: v.optional(count(1, 100), 1), etaMin: v.optional(rate, 0) },
  LinearLR: {
    startFactor: v.optional(real(1e-9, 1), 1 / 3),
    endFactor: v.optional(real(0, 1), 1),
    totalIters: v.optional(steps, 5),
  },
  ConstantLR: { factor: v.optional(real(1e-9, 1), 1 / 3), totalIters: v.optional(steps, 5) },
  PolynomialLR: { totalIters: v.optional(steps, 5), power: v.optional(real(0, 100), 1) },
  /** After totalSteps the last rate stays, where torch raises an error. */
  OneCycleLR: {
    maxLr: rate,
    totalSteps: steps,
    pctStart: v.optional(real(0, 1), 0.3),
    annealStrategy: v.optional(v.picklist(['cos', 'linear']), 'cos'),
    cycleMomentum: v.optional(v.boolean(), true),
    baseMomentum: v.optional(real(0, 1), 0.85),
    maxMomentum: v.optional(real(0, 1), 0.95),
    divFactor: v.optional(real(1e-9, 1e9), 25),
    finalDivFactor: v.optional(real(1e-9, 1e9), 10_000),
    threePhase: v.optional(v.boolean(), false),
  },
  CyclicLR: {
    baseLr: rate,
    maxLr: rate,
    stepSizeUp: v.optional(steps, 2000),
    stepSizeDown: v.optional(steps),
    mode: v.optional(v.picklist(['triangular', 'triangular2', 'exp_range']), 'triangular'),
    gamma: gamma(1),
    cycleMomentum: v.optional(v.boolean(), true),
    baseMomentum: v.optional(real(0, 1), 0.8),
    maxMomentum: v.optional(real(0, 1), 0.9),
  },
  /** LambdaLR with the usual warm-up: min((t + 1) / steps, ((t + 1) / steps)^-0.5). */
  WarmupInverseSqrt: { warmupSteps: steps },
  /**
   * Linear warm-up from 0 (t / warmupSteps), then a cosine down to minFactor at totalSteps, which stays: the schedule
   * of most GPT scripts, as a LambdaLR.
   */
  WarmupCosine: { warmupSteps: count(0, 10_000_000), totalSteps: steps, minFactor: v.optional(real(0, 1), 0.1) },
} as const;

const every = v.optional(v.picklist(['step', 'epoch']), 'step');

const simple = v.variant('type', [
  v.strictObject({ type: v.literal('StepLR'), ...fields.StepLR, every }),
  v.strictObject({ type: v.literal('MultiStepLR'), ...fields.MultiStepLR, every }),
  v.strictObject({ type: v.literal('ExponentialLR'), ...fields.ExponentialLR, every }),
  v.strictObject({ type: v.literal('CosineAnnealingLR'), ...fields.CosineAnnealingLR, every }),
  v.strictObject({ type: v.literal('CosineAnnealingWarmRestarts'), ...fields.CosineAnnealingWarmRestarts, every }),
  v.strictObject({ type: v.literal('LinearLR'), ...fields.LinearLR, every }),
  v.strictObject({ type: v.literal('ConstantLR'), ...fields.ConstantLR, every }),
  v.strictObject({ type: v.literal('PolynomialLR'), ...fields.PolynomialLR, every }),
  v.strictObject({ type: v.literal('OneCycleLR'), ...fields.OneCycleLR, every }),
  v.strictObject({ type: v.literal('CyclicLR'), ...fields.CyclicLR, every }),
  v.strictObject({ type: v.literal('WarmupInverseSqrt'), ...fields.WarmupInverseSqrt, every }),
  v.strictObject({ type: v.literal('WarmupCosine'), ...fields.WarmupCosine, every }),
]);

export const schedulerSchema = v.variant('type', [
  simple,
  v.strictObject({
    type: v.literal('SequentialLR'),
    schedulers: v.pipe(v.array(simple), v.minLength(2), v.maxLength(8)),
    /**
     * Steps at which the next scheduler takes over; one fewer than schedulers. An `every` of the schedulers themselves
     * is ignored.
     */
    milestones: v.pipe(v.array(steps), v.minLength(1), v.maxLength(7)),
    every,
  }),
]);

export type SchedulerConfig = v.InferOutput<typeof schedulerSchema>;
