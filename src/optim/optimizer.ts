/**
 * From the configuration of an optimiser to the operator that steps it and the states it keeps. `parallel` calls this when it emits the
 * step of a Program; state names are those of torch's `state_dict`.
 */
import { LockstepError } from '../base/errors';
import type { Attrs } from '../graph/op';
import type { OptimizerConfig } from '../protocol/config';

/** State tensors a parameter has, in operand order; each has the parameter's shape and starts at zero. */
export function optimizerState(config: OptimizerConfig): readonly string[] {
  if (config.type !== 'SGD') return ['exp_avg', 'exp_avg_sq'];
  return config.momentum === 0 ? [] : ['momentum_buffer'];
}

/** The operator and its attributes; the caller adds `count`, the number of parameters. */
export function optimizerOp(config: OptimizerConfig): { readonly op: string; readonly attrs: Attrs } {
  if (config.type !== 'SGD') return { op: 'optim/adam', attrs: { decoupled: config.type === 'AdamW' } };
  if (config.nesterov && (config.momentum === 0 || config.dampening !== 0)) {
    throw new LockstepError(
      'config',
      'Nesterov momentum requires a momentum and zero dampening',
      'Set momentum above 0 and dampening to 0.',
    );
  }
  if (config.momentum === 0) return { op: 'optim/sgd', attrs: {} };
  return { op: 'optim/sgd-momentum', attrs: { nesterov: config.nesterov } };
}
