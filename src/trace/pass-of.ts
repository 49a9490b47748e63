/**
 * What kind of pass a variant of a step is, from its name (training/step-variants says how they are named): a
 * micro-batch before the last of its group is '-set' or '-add', and does not step. Pure; called by formula.ts.
 */
import type { Config } from '../protocol/config';

export interface Pass {
  /** The optimiser steps. */
  readonly steps: boolean;
  /** DDP: gradients are reduced. */
  readonly reduces: boolean;
  /** Whether they replace what .grad holds. */
  readonly gradients: 'set' | 'add';
}

export function passOf({ accumulate, ddp }: Pick<Config, 'accumulate' | 'ddp'>, variant: string): Pass {
  const parts = variant.split('-');
  const steps = !parts.includes('set') && !parts.includes('add');
  const always = ddp.noSync === 'backward' || ddp.noSync === 'none';
  const gradients = parts.includes('set') || (steps && accumulate === 1) ? 'set' : 'add';
  return { steps, reduces: steps || always, gradients };
}
