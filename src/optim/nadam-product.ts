/** NAdam's momentum of each step, mu, and the product of mu over the steps so far, which torch keeps as a state. */
import { at } from '../base/invariant';
import { refusedSettings } from '../base/refused-settings';
import type { OptimizerConfig } from '../protocol/config';
import { groupSettings, type OptimizerSettings } from './param-groups';
import { cyclesMomentum, makeSchedule } from './rates';

type NAdam = Extract<OptimizerConfig, { type: 'NAdam' }>;

const f = Math.fround;
const mu = (beta1: number, t: number, decay: number): number => beta1 * (1 - 0.5 * 0.96 ** (t * decay));

/**
 * Factors of the gradient and of the first moment, as in torch 2: the product is stored in float32, and the next one is
 * computed from it in double precision. (torch 1.13 had this step's mu twice in the next product.)
 */
export function nadamFactors(
  { momentumDecay }: NAdam,
  {
    lr,
    momentum,
    t,
    muProduct,
  }: { readonly lr: number; readonly momentum: number; readonly t: number; readonly muProduct: number },
): readonly [number, number] {
  const now = mu(momentum, t, momentumDecay);
  const next = mu(momentum, t + 1, momentumDecay);
  return [(lr * (1 - now)) / (1 - muProduct), (lr * next) / (1 - muProduct * next)];
}

/** By group, the value of `mu_product` in torch's NAdam states after t steps. */
export const muProducts = (config: OptimizerSettings, t: number): readonly (number | undefined)[] =>
  groupSettings(config).map((own, k) => (own.type === 'NAdam' ? makeMuProduct(own, k, config)(t) : undefined));

/** The product of mu over the steps 1 to t, which torch keeps in a float32 tensor. */
export function makeMuProduct(optimizer: NAdam, group: number, config: OptimizerSettings): (t: number) => number {
  const cycled = cyclesMomentum(config.scheduler);
  if (cycled && config.scheduler?.every === 'epoch') {
    throw refusedSettings({
      settings: { 'scheduler.every': 'epoch', 'scheduler.type': config.scheduler.type, 'optimizer.type': 'NAdam' },
      why: 'NAdam keeps the product of beta1 over all its steps, and a schedule that cycles beta1 per epoch does not say which beta1 each step used',
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
