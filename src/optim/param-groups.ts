/**
 * Parameter groups: parameters with their own rate, weight decay, momentum ... Group 0 has the parameters that no entry
 * of `paramGroups` matches; entry k is group k + 1. The first matching entry wins. A group may be empty.
 */
import type { Config } from '../protocol/config';
import type { OptimizerConfig, ParamGroupConfig } from '../protocol/config/optimizer';

/** The settings on which the scalars of a step depend. */
export type OptimizerSettings = Pick<Config, 'optimizer' | 'scheduler' | 'paramGroups'>;

/** A group's own settings, with our names. */
export const ownSettings = ({ match: _, ...own }: ParamGroupConfig): readonly (readonly [string, number | boolean])[] =>
  Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));

/** The optimizer as each group has it: its own settings over those of all. */
export function groupSettings({
  optimizer,
  paramGroups,
}: Pick<Config, 'optimizer' | 'paramGroups'>): readonly OptimizerConfig[] {
  // A group names only what its optimizer has (check-optimizer.ts).
  const own = paramGroups.map((group) => ({ ...optimizer, ...Object.fromEntries(ownSettings(group)) }));
  return [optimizer, ...own];
}

/** Group of the parameter of that name. */
export function groupOf(name: string, paramGroups: readonly ParamGroupConfig[]): number {
  return paramGroups.findIndex(({ match }) => matches(name, match)) + 1;
}

/**
 * `pattern` with '*' for any text. Not a regular expression, because a long one, or one with many stars, would be
 * refused or never end.
 */
function matches(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  // Parts between stars are matched as early as possible; the last part must match the end.
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
