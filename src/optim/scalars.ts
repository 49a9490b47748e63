/**
 * The numbers that the optimiser kernels read in a step, group after group as scalars-layout.ts lays them out: computed
 * in double precision as torch does in Python, rounded to float32 once, and loaded from the host. So a changed learning
 * rate or a bias correction never rebuilds a Program. A function of the configuration, the optimiser's step t = 1, 2,
 * ... and the epoch alone: a run that resumes needs nothing else.
 */

import { at } from '../base/invariant';
import { refusedSettings } from '../base/refused-settings';
import type { OptimizerConfig } from '../protocol/config';
import { groupSettings, type OptimizerSettings } from './param-groups';
import { DECAY, LR, MAXIMIZE, SCALARS_LENGTH, WEIGHT_DECAY } from './scalars-layout';
import { cyclesMomentum, makeSchedule } from './schedule';

export { SCALARS_LENGTH } from './scalars-layout';

/** (1 + paramGroups.length) * SCALARS_LENGTH numbers; see param-groups for the order. */
export type StepScalars = (t: number, epoch: number) => Float32Array<ArrayBuffer>;

/** Keeps its place between calls, so that ascending steps cost nothing; any order is right. */
export function makeStepScalars(config: OptimizerSettings): StepScalars {
  const { scheduler } = config;
  const groups = groupSettings(config);
  const byEpoch = scheduler?.every === 'epoch';
  const ratesAt = makeSchedule(config);
  const products = groups.map((own, k) => (own.type === 'NAdam' ? makeMuProduct(own, k, config) : undefined));
  return (t, epoch) => {
    const scalars = new Float32Array(groups.length * SCALARS_LENGTH);
    const rates = ratesAt(byEpoch ? epoch : t - 1);
    for (const [k, optimizer] of groups.entries()) {
      const { weightDecay } = optimizer;
      const { lr, momentum } = at(rates, k);
      const own = scalars.subarray(k * SCALARS_LENGTH, (k + 1) * SCALARS_LENGTH);
      own[LR] = lr;
      own[WEIGHT_DECAY] = weightDecay;
      own.set(restOf(optimizer, { lr, momentum, t, muProduct: products[k]?.(t) ?? 1 }), 2);
      own[DECAY] = 1 - lr * weightDecay;
      own[MAXIMIZE] = optimizer.maximize ? 1 : 0;
    }
    return scalars;
  };
}

/** The scalars of one step. */
export const stepScalars = (config: OptimizerSettings, t: number, epoch: number): Float32Array<ArrayBuffer> =>
  makeStepScalars(config)(t, epoch);

interface Step {
  readonly lr: number;
  /** Or beta1. */
  readonly momentum: number;
  readonly t: number;
  /** Of NAdam, this step's factor included. */
  readonly muProduct: number;
}

/** Scalars 2 and on. */
function restOf(optimizer: OptimizerConfig, step: Step): readonly number[] {
  const { lr, momentum, t } = step;
  switch (optimizer.type) {
    case 'SGD':
      // torch's first step copies the gradient into the buffer: no dampening. The buffer is zero then, so factors 0 and
      // 1 do the same.
      return [momentum, t === 1 ? 0 : momentum, t === 1 ? 1 : 1 - optimizer.dampening];
    case 'RMSprop':
      return [optimizer.alpha, 1 - optimizer.alpha, momentum, optimizer.eps];
    case 'Adagrad':
      return [lr / (1 + (t - 1) * optimizer.lrDecay), optimizer.eps];
    case 'Adadelta':
      return [optimizer.rho, 1 - optimizer.rho, optimizer.eps];
    case 'Adamax':
      return [momentum, 1 - momentum, optimizer.beta2, lr / (1 - momentum ** t), optimizer.eps];
    default: {
      const { beta2, eps } = optimizer;
      const moments = [momentum, 1 - momentum, beta2, 1 - beta2];
      const correction1 = 1 - momentum ** t;
      const correction2 = 1 - beta2 ** t;
      if (optimizer.type === 'NAdam') return [...moments, ...nadamFactors(optimizer, step), eps, correction2];
      if (optimizer.type === 'RAdam')
        return [...moments, correction1, Math.sqrt(correction2), eps, rectification(beta2, t)];
      return [...moments, lr / correction1, Math.sqrt(correction2), eps];
    }
  }
}

/** sqrt of the variance rectification term; 0 while the approximated length of the moving average is at most 5. */
function rectification(beta2: number, t: number): number {
  const most = 2 / (1 - beta2) - 1;
  const length = most - (2 * t * beta2 ** t) / (1 - beta2 ** t);
  if (length <= 5) return 0;
  return Math.sqrt(((length - 4) * (length - 2) * most) / ((most - 4) * (most - 2) * length));
}

type NAdam = Extract<OptimizerConfig, { type: 'NAdam' }>;
const f = Math.fround;
const mu = (beta1: number, t: number, decay: number): number => beta1 * (1 - 0.5 * 0.96 ** (t * decay));

/**
 * Factors of the gradient and of the first moment, as in torch 2: the product is kept in float32, the next one is
 * worked out from it in double precision. (torch 1.13 had this step's mu twice in the next product.)
 */
function nadamFactors({ momentumDecay }: NAdam, { lr, momentum, t, muProduct }: Step): readonly [number, number] {
  const now = mu(momentum, t, momentumDecay);
  const next = mu(momentum, t + 1, momentumDecay);
  return [(lr * (1 - now)) / (1 - muProduct), (lr * next) / (1 - muProduct * next)];
}

/** What torch's NAdam has as `mu_product` in the states of each group's parameters after t steps, by group. */
export const muProducts = (config: OptimizerSettings, t: number): readonly (number | undefined)[] =>
  groupSettings(config).map((own, k) => (own.type === 'NAdam' ? makeMuProduct(own, k, config)(t) : undefined));

/** The product of mu over the steps 1 to t, which torch keeps in a float32 tensor. */
function makeMuProduct(optimizer: NAdam, group: number, config: OptimizerSettings): (t: number) => number {
  const cycled = cyclesMomentum(config.scheduler);
  if (cycled && config.scheduler?.every === 'epoch') {
    throw refusedSettings({
      settings: { 'scheduler.every': 'epoch', 'scheduler.type': config.scheduler.type, 'optimizer.type': 'NAdam' },
      why: 'NAdam keeps the product of beta1 over all its steps, and a schedule that cycles beta1 by epochs does not say which step had which beta1',
      hint: 'Set scheduler.every to "step", or scheduler.cycleMomentum to false.',
    });
  }
  const ratesAt = cycled ? makeSchedule(config) : undefined;
  let done = 0;
  let product = 1;
  return (t) => {
    if (t < done) {
      done = 0;
      product = 1;
    }
    for (; done < t; done++) {
      const beta1 = ratesAt ? at(ratesAt(done), group).momentum : optimizer.beta1;
      product = f(product * f(mu(beta1, done + 1, optimizer.momentumDecay)));
    }
    return product;
  };
}
