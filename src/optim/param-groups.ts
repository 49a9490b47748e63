/**
 * Parameter groups: which parameters have a rate or a weight decay of their own. Group 0 holds the parameters that no entry of `paramGroups` matches; entry k
 * is group k + 1. The first entry that matches counts. A group may be empty.
 */
import type { Config } from '../protocol/config';
import type { ParamGroupConfig } from '../protocol/config/optimizer';

/** What the numbers of a step depend on. */
export type OptimizerSettings = Pick<Config, 'optimizer' | 'scheduler' | 'paramGroups'>;

export interface GroupSettings {
  readonly lr: number;
  readonly weightDecay: number;
}

export function groupSettings({ optimizer, paramGroups }: OptimizerSettings): readonly GroupSettings[] {
  const { lr, weightDecay } = optimizer;
  const own = paramGroups.map((group) => ({ lr: group.lr ?? lr, weightDecay: group.weightDecay ?? weightDecay }));
  return [{ lr, weightDecay }, ...own];
}

/** Group of the parameter of that name. */
export function groupOf(name: string, paramGroups: readonly ParamGroupConfig[]): number {
  return paramGroups.findIndex(({ match }) => matches(name, match)) + 1;
}

/** `pattern` with '*' for any text; the rest stands for itself. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
