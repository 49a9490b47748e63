/** Plans as the editor makes them, from what the run says about its own. Pure; called by plan-editor.tsx. */
import type { Config } from '../../../protocol/config';
import type { StyleConfig, StyleName } from '../../../protocol/config/tensor';
import type { PlanInfo } from '../../../protocol/session-info';

export type PlanSetting = NonNullable<Config['tensor']['plan']>;

export const same = (a: PlanSetting | undefined, b: PlanSetting | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** The plan of the run with another style for one module; undefined: the module is whole. */
export function withStyle({ modules }: PlanInfo, path: string, style: StyleName | undefined): PlanSetting {
  return Object.fromEntries(
    modules.flatMap((module): [string, StyleConfig][] => {
      // The layouts of a module were meant for the style that it has: they stay only if the style stays.
      const next = module.path === path && style !== module.style ? style : module.entry;
      return next === undefined ? [] : [[module.path, next]];
    }),
  );
}

export interface PlanCost {
  readonly forward: number;
  readonly backward: number;
  /** That the first rank brings to them. */
  readonly bytes: number;
}

export function costOf({ collectives }: PlanInfo): PlanCost {
  const forward = collectives.filter(({ phase }) => phase === 'forward').length;
  return {
    forward,
    backward: collectives.length - forward,
    bytes: collectives.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
