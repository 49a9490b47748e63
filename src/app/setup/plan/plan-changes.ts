/** Makes the editor's plans from the plan that the run reports. Pure; called by plan-editor.tsx. */
import type { Config } from '../../../protocol/config';
import type { StyleConfig, StyleName } from '../../../protocol/config/tensor';
import type { PlanInfo } from '../../../protocol/session-info';

export type PlanSetting = NonNullable<Config['tensor']['plan']>;

export const same = (a: PlanSetting | undefined, b: PlanSetting | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * The run's plan with another style for one module, and for those that share its weight the style that cuts the weight
 * in the same way; undefined: the module is whole.
 */
export function withStyle({ modules }: PlanInfo, path: string, style: StyleName | undefined): PlanSetting {
  const changed = modules.find((module) => module.path === path);
  return Object.fromEntries(
    modules.flatMap((module): [string, StyleConfig][] => {
      const isChanged = module === changed || changed?.sharesWith.includes(module.path);
      const wanted = module.type === changed?.type ? style : style && CUTS_ALIKE[style];
      // A module's layouts belong to its style, so they are kept only if the style is kept.
      const next = isChanged && wanted !== module.style ? wanted : module.entry;
      return next === undefined ? [] : [[module.path, next]];
    }),
  );
}

/** The styles of an Embedding and of a Linear layer that cut one weight in the same way. */
const CUTS_ALIKE: Readonly<Partial<Record<StyleName, StyleName>>> = {
  ColwiseParallel: 'RowwiseParallel',
  RowwiseParallel: 'ColwiseParallel',
};

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
