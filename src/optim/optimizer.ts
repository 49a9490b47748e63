/**
 * From the configuration of an optimiser to the operator that steps it and the states it keeps. `parallel` calls this
 * when it emits the step of a Program; state names are those of torch's `state_dict`.
 */
import { at } from '../base/invariant';
import type { Attrs } from '../graph/op';
import type { Config } from '../protocol/config';
import { isDecoupled } from '../protocol/config/optimizer-kinds';
import { groupSettings, type OptimizerSettings } from './param-groups';
import { cyclesMomentum } from './schedule';

/** A state tensor of the parameter's shape. */
export interface OptimizerState {
  readonly name: string;
  /** What every element is before the first step. */
  readonly fill: number;
}

type Settings = Pick<Config, 'optimizer' | 'scheduler'>;

/** A schedule that cycles the momentum sets it before the first step, whatever the optimiser was made with. */
const hasMomentum = (momentum: number, scheduler: Config['scheduler']): boolean =>
  momentum !== 0 || cyclesMomentum(scheduler);

/** The settings of an optimizer as one of its parameter groups has them. */
export function inGroup<T extends Pick<Config, 'optimizer' | 'paramGroups'>>(config: T, group: number): T {
  return { ...config, optimizer: at(groupSettings(config), group) };
}

/** Names of the states that any parameter has. */
export const stateNames = (config: OptimizerSettings): readonly string[] => [
  ...new Set(groupSettings(config).flatMap((_, k) => optimizerState(inGroup(config, k)).map(({ name }) => name))),
];

/** States a parameter has, in operand order; of its group's settings, where there are groups (inGroup). */
export function optimizerState({ optimizer, scheduler }: Settings): readonly OptimizerState[] {
  return namesOf().map((name) => ({
    name,
    fill: optimizer.type === 'Adagrad' ? optimizer.initialAccumulatorValue : 0,
  }));

  function namesOf(): readonly string[] {
    switch (optimizer.type) {
      case 'SGD':
        return hasMomentum(optimizer.momentum, scheduler) ? ['momentum_buffer'] : [];
      case 'RMSprop': {
        const centered = optimizer.centered ? ['grad_avg'] : [];
        const momentum = hasMomentum(optimizer.momentum, scheduler) ? ['momentum_buffer'] : [];
        return ['square_avg', ...centered, ...momentum];
      }
      case 'Adagrad':
        return ['sum'];
      case 'Adadelta':
        return ['square_avg', 'acc_delta'];
      case 'Adamax':
        return ['exp_avg', 'exp_inf'];
      case 'Adam':
      case 'AdamW':
        return ['exp_avg', 'exp_avg_sq', ...(optimizer.amsgrad ? ['max_exp_avg_sq'] : [])];
      case 'NAdam':
      case 'RAdam':
        return ['exp_avg', 'exp_avg_sq'];
    }
  }
}

/** The operator and its attributes; the caller adds `count`, the number of parameters. */
export function optimizerOp({ optimizer, scheduler }: Settings): { readonly op: string; readonly attrs: Attrs } {
  switch (optimizer.type) {
    case 'SGD':
      if (!hasMomentum(optimizer.momentum, scheduler)) return { op: 'optim/sgd', attrs: {} };
      return { op: 'optim/sgd-momentum', attrs: { nesterov: optimizer.nesterov } };
    case 'Adam':
    case 'AdamW':
      return { op: 'optim/adam', attrs: { decoupled: isDecoupled(optimizer), amsgrad: optimizer.amsgrad } };
    case 'NAdam':
      return { op: 'optim/nadam', attrs: { decoupled: isDecoupled(optimizer) } };
    case 'RAdam':
      return { op: 'optim/radam', attrs: { decoupled: isDecoupled(optimizer) } };
    case 'RMSprop':
      return {
        op: 'optim/rmsprop',
        attrs: { momentum: hasMomentum(optimizer.momentum, scheduler), centered: optimizer.centered },
      };
    default:
      return { op: `optim/${optimizer.type.toLowerCase()}`, attrs: {} };
  }
}
