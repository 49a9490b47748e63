/**
 * What torch.optim's constructors say to a number that they refuse: whoever knows the sentence recognises the mistake.
 * Used by config-issue.
 */
import { lookup } from '../base/lookup';

const NAMES: Readonly<Record<string, string>> = {
  lr: 'learning rate',
  eps: 'epsilon value',
  beta1: 'beta parameter at index 0',
  beta2: 'beta parameter at index 1',
  weightDecay: 'weight_decay value',
  momentum: 'momentum value',
  momentumDecay: 'momentum_decay value',
  alpha: 'alpha value',
  rho: 'rho value',
  lrDecay: 'lr_decay value',
  initialAccumulatorValue: 'initial_accumulator_value value',
};

/** Undefined where torch would take the number: our limits are narrower than its own. */
export function torchRefusal(place: string, found: unknown): string | undefined {
  const name = /^optimizer\.(\w+)$/.exec(place)?.[1] ?? '';
  const words = lookup(NAMES, name);
  if (words === undefined || typeof found !== 'number') return undefined;
  const beta = name === 'beta1' || name === 'beta2';
  const most = beta || name === 'rho' ? 1 : Number.POSITIVE_INFINITY;
  if (found >= 0 && (beta ? found < most : found <= most)) return undefined;
  return `Invalid ${words}: ${found}`;
}
