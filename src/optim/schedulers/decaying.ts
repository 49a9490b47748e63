/** The schedules that only change the rate, as in torch 1.13's lr_scheduler.py: one formula each. */
import type { SchedulerConfig } from '../../protocol/config';
import type { Formula } from './scheduler';

export type Decaying = Exclude<SchedulerConfig, { type: 'SequentialLR' | 'OneCycleLR' | 'CyclicLR' }>;

const { cos, PI } = Math;

export function decayingFormula(config: Decaying): Formula {
  switch (config.type) {
    case 'StepLR': {
      const { stepSize, gamma } = config;
      return { rate: ({ lr }, _, n) => (n === 0 || n % stepSize !== 0 ? lr : lr * gamma), closedForm: (base) => base };
    }
    case 'MultiStepLR': {
      const { milestones, gamma } = config;
      const times = (n: number): number => milestones.filter((milestone) => milestone === n).length;
      return { rate: ({ lr }, _, n) => (times(n) === 0 ? lr : lr * gamma ** times(n)), closedForm: (base) => base };
    }
    case 'ExponentialLR':
      return { rate: ({ lr }, _, n) => (n === 0 ? lr : lr * config.gamma), closedForm: (base) => base };
    case 'CosineAnnealingLR':
      return cosineAnnealing(config.tMax, config.etaMin);
    case 'CosineAnnealingWarmRestarts':
      return warmRestarts(config.t0, config.tMult, config.etaMin);
    case 'LinearLR': {
      const { startFactor, endFactor, totalIters } = config;
      const rise = endFactor - startFactor;
      return {
        rate({ lr }, _, n) {
          if (n === 0) return lr * startFactor;
          return n > totalIters ? lr : lr * (1 + rise / (totalIters * startFactor + (n - 1) * rise));
        },
        closedForm: (base) => base * startFactor,
      };
    }
    case 'ConstantLR': {
      const { factor, totalIters } = config;
      return {
        rate({ lr }, _, n) {
          if (n === 0) return lr * factor;
          return n === totalIters ? lr * (1 / factor) : lr;
        },
        closedForm: (base) => base * factor,
      };
    }
    case 'PolynomialLR': {
      const { totalIters, power } = config;
      return {
        rate({ lr }, _, n) {
          if (n === 0 || n > totalIters) return lr;
          return lr * ((1 - n / totalIters) / (1 - (n - 1) / totalIters)) ** power;
        },
        closedForm: (base) => base,
      };
    }
    case 'WarmupInverseSqrt': {
      const { warmupSteps } = config;
      return {
        rate: (_, base, n) => base * Math.min((n + 1) / warmupSteps, ((n + 1) / warmupSteps) ** -0.5),
      };
    }
    case 'WarmupCosine':
      return { rate: (_, base, n) => base * warmupCosine(config, n) };
  }
}

function cosineAnnealing(tMax: number, etaMin: number): Formula {
  return {
    rate({ lr }, base, n) {
      if (n === 0) return lr;
      // After a rate of etaMin the quotient below is undefined: the rise starts with the closed form's difference.
      if ((n - 1 - tMax) % (2 * tMax) === 0) return lr + ((base - etaMin) * (1 - cos(PI / tMax))) / 2;
      return ((1 + cos((PI * n) / tMax)) / (1 + cos((PI * (n - 1)) / tMax))) * (lr - etaMin) + etaMin;
    },
    closedForm: (base) => etaMin + ((base - etaMin) * (1 + cos(0))) / 2,
  };
}

function warmRestarts(t0: number, tMult: number, etaMin: number): Formula {
  // Steps into the current cycle, and its length; the same for all groups, which step together.
  let at = { n: 0, current: 0, length: t0 };
  return {
    rate(_, base, n) {
      if (n === 0) at = { n: 0, current: 0, length: t0 };
      else if (n !== at.n) {
        const ended = at.current + 1 >= at.length;
        at = { n, current: ended ? 0 : at.current + 1, length: ended ? at.length * tMult : at.length };
      }
      return etaMin + ((base - etaMin) * (1 + cos((PI * at.current) / at.length))) / 2;
    },
  };
}

type WarmupCosine = Extract<SchedulerConfig, { type: 'WarmupCosine' }>;

/** Rises linearly from 0, falls along half a cosine wave to minFactor at totalSteps, then stays constant. */
function warmupCosine({ warmupSteps, totalSteps, minFactor }: WarmupCosine, n: number): number {
  if (n < warmupSteps) return n / warmupSteps;
  const progress = Math.min(1, (n - warmupSteps) / Math.max(1, totalSteps - warmupSteps));
  return minFactor + (1 - minFactor) * 0.5 * (1 + cos(PI * progress));
}
