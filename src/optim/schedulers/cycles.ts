/**
 * OneCycleLR and CyclicLR as torch 2.13 computes them: a rate that rises and falls, and a momentum (or beta1) that
 * moves the opposite way. Their rates are the same for all parameter groups, whatever rates the groups had.
 */
import type { SchedulerConfig } from '../../protocol/config';
import type { Formula, GroupRates } from './scheduler';

type OneCycle = Extract<SchedulerConfig, { type: 'OneCycleLR' }>;
type Cyclic = Extract<SchedulerConfig, { type: 'CyclicLR' }>;

interface Phase {
  readonly end: number;
  readonly lr: readonly [number, number];
  readonly momentum: readonly [number, number];
}

/**
 * Beyond totalSteps, where torch raises "Tried to step N times. The specified number of total steps is M", the last
 * rate stays: a page trains until it is paused. A phase of length 0, where torch divides by zero, is skipped.
 */
export function oneCycle(config: OneCycle, groups: readonly GroupRates[]): Formula {
  const { maxLr, totalSteps, cycleMomentum, baseMomentum, maxMomentum } = config;
  const initial = maxLr / config.divFactor;
  for (const group of groups) {
    group.initialLr = initial;
    if (cycleMomentum) group.momentum = maxMomentum;
  }
  const phases = phasesOf(config, initial);
  const anneal = config.annealStrategy === 'cos' ? annealCos : annealLinear;
  return {
    rate(group, _, n) {
      const step = Math.min(n, totalSteps - 1);
      let start = 0;
      let phase = phases[0];
      for (const [i, candidate] of phases.entries()) {
        phase = candidate;
        if (step <= candidate.end || i === phases.length - 1) break;
        start = candidate.end;
      }
      if (!phase) return group.lr;
      const length = phase.end - start;
      const done = length === 0 ? 1 : (step - start) / length;
      if (cycleMomentum) group.momentum = anneal(...phase.momentum, done);
      return anneal(...phase.lr, done);
    },
  };

  function phasesOf({ pctStart, threePhase, finalDivFactor }: OneCycle, low: number): readonly Phase[] {
    const rise = pctStart * totalSteps - 1;
    const lowest = low / finalDivFactor;
    const up: Phase = { end: rise, lr: [low, maxLr], momentum: [maxMomentum, baseMomentum] };
    const last = totalSteps - 1;
    if (!threePhase) return [up, { end: last, lr: [maxLr, lowest], momentum: [baseMomentum, maxMomentum] }];
    return [
      up,
      { end: 2 * pctStart * totalSteps - 2, lr: [maxLr, low], momentum: [baseMomentum, maxMomentum] },
      { end: last, lr: [low, lowest], momentum: [maxMomentum, maxMomentum] },
    ];
  }
}

const annealCos = (start: number, end: number, done: number): number =>
  end + ((start - end) / 2) * (Math.cos(Math.PI * done) + 1);
const annealLinear = (start: number, end: number, done: number): number => (end - start) * done + start;

export function cyclic(config: Cyclic): Formula {
  const { baseLr, maxLr, stepSizeUp, stepSizeDown = stepSizeUp, mode, gamma } = config;
  const total = stepSizeUp + stepSizeDown;
  const ratio = stepSizeUp / total;
  const scale = (cycle: number, n: number): number =>
    mode === 'triangular' ? 1 : mode === 'triangular2' ? 1 / 2 ** (cycle - 1) : gamma ** n;
  return {
    rate(group, _, n) {
      const cycle = Math.floor(1 + n / total);
      const x = 1 + n / total - cycle;
      const height = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
      if (config.cycleMomentum)
        group.momentum = config.maxMomentum - (config.maxMomentum - config.baseMomentum) * height * scale(cycle, n);
      return baseLr + (maxLr - baseLr) * height * scale(cycle, n);
    },
  };
}
