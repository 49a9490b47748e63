/**
 * The messages of torch.optim's constructors about numbers that they refuse, for users who know these messages. Used by
 * config-issue.
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

/** Undefined if torch would accept the number, because our limits are narrower than torch's. */
export function torchRefusal(place: string, found: unknown): string | undefined {
  const name = /^optimizer\.(\w+)$/.exec(place)?.[1] ?? '';
  const words = lookup(NAMES, name);
  if (words === undefined || typeof found !== 'number') return undefined;
  const beta = name === 'beta1' || name === 'beta2';
  const most = beta || name === 'rho' ? 1 : Number.POSITIVE_INFINITY;
  if (found >= 0 && (beta ? found < most : found <= most)) return undefined;
  return `Invalid ${words}: ${found}`;
}
