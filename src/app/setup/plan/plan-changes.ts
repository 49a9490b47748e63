/** Makes the editor's plans from the plan that the run reports. Pure; called by plan-editor.tsx. */
import type { Config } from '../../../protocol/config';
import type { StyleConfig, StyleName } from '../../../protocol/config/tensor';
import type { PlanInfo } from '../../../protocol/session-info';

export type PlanSetting = NonNullable<Config['tensor']['plan']>;

export const same = (a: PlanSetting | undefined, b: PlanSetting | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** The run's plan with another style for one module; undefined: the module is whole. */
export function withStyle({ modules }: PlanInfo, path: string, style: StyleName | undefined): PlanSetting {
  return Object.fromEntries(
    modules.flatMap((module): [string, StyleConfig][] => {
      // A module's layouts belong to its style, so they are kept only if the style is kept.
      const next = module.path === path && style !== module.style ? style : module.entry;
      return next === undefined ? [] : [[module.path, next]];
    }),
  );
}

export interface PlanCost {
  readonly forward: number;
  readonly backward: number;
  /** The bytes that the first rank contributes to the collectives. */
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
