/**
 * Maps the configuration of an optimiser to its operator and its states. `parallel` calls this when it emits the step
 * of a Program; state names are those of torch's `state_dict`.
 */
import { at } from '../base/invariant';
import type { Attrs } from '../graph/op';
import type { Config } from '../protocol/config';
import { rowOf } from './optimizers';
import { groupSettings, type OptimizerSettings } from './param-groups';
import { cyclesMomentum } from './rates';

/** A state tensor of the parameter's shape. */
export interface OptimizerState {
  readonly name: string;
  /** Initial value of every element. */
  readonly fill: number;
}

type Settings = Pick<Config, 'optimizer' | 'scheduler'>;

/** A schedule that cycles the momentum sets it before the first step, whatever the optimiser's setting. */
const hasMomentum = (optimizer: Config['optimizer'], scheduler: Config['scheduler']): boolean =>
  ('momentum' in optimizer && optimizer.momentum !== 0) || cyclesMomentum(scheduler);

/** The settings of an optimizer as one of its parameter groups has them. */
export function inGroup<T extends Pick<Config, 'optimizer' | 'paramGroups'>>(config: T, group: number): T {
  return { ...config, optimizer: at(groupSettings(config), group) };
}

/** Names of the states that any parameter has. */
export const stateNames = (config: OptimizerSettings): readonly string[] => [
  ...new Set(groupSettings(config).flatMap((_, k) => optimizerState(inGroup(config, k)).map(({ name }) => name))),
];

/** The states of a parameter in operand order, by its group's settings if there are groups (inGroup). */
export function optimizerState({ optimizer, scheduler }: Settings): readonly OptimizerState[] {
  const row = rowOf(optimizer);
  const fill = row.fill?.(optimizer) ?? 0;
  return row.states(optimizer, hasMomentum(optimizer, scheduler)).map((name) => ({ name, fill }));
}

/** The operator and its attributes; the caller adds `count`, the number of parameters. */
export function optimizerOp({ optimizer, scheduler }: Settings): { readonly op: string; readonly attrs: Attrs } {
  const [op, attrs] = rowOf(optimizer).op(optimizer, hasMomentum(optimizer, scheduler));
  return { op, attrs };
}
