/**
 * For the script of a pipeline: the weights whose gradients the script adds up itself, because modules on several ranks
 * share them, or because parallelize_module gave each module of a rank a parameter of its own. Called by listing.ts.
 */
import { at } from '../../base/invariant';
import type { PipelineShape } from '../../interop/pytorch/pipeline';
import type { TiedWeight } from '../../interop/pytorch/tied';
import { sharedNames } from '../../nn/tied';
import type { Config } from '../../protocol/config';

type Placed = Pick<PipelineShape, 'dp' | 'tp' | 'rankOfStage'>;
/** Returns the stage of a module, by its path. */
type StageOf = (path: string) => number;

/** `lends`: in each stage one module keeps the weight and lends it to the others (lentInStages). */
export function tiedWeights(
  config: Config,
  { dp, tp, rankOfStage }: Placed,
  stageOf: StageOf,
  lends: boolean,
): readonly TiedWeight[] {
  // Ranks are numbered stage by stage.
  const ranksOfStage = dp * tp;
  return sharedNames(config.model.layers).flatMap((all): readonly TiedWeight[] => {
    const names = lends ? byStage(all, stageOf).map(([name = '']) => name) : all;
    const held = names.map((name) => at(rankOfStage, stageOf(name)));
    const ranks = [...new Set(held)].sort((a, b) => a - b);
    const groups =
      ranks.length === 1
        ? []
        : Array.from({ length: ranksOfStage }, (_, k) => ranks.map((rank) => rank * ranksOfStage + k));
    const severalOnRank = tp > 1 && held.length > ranks.length;
    return groups.length > 0 || severalOnRank ? [{ names, groups, severalOnRank }] : [];
  });
}

/** Whether two stages of one rank share a weight. */
export const stagesOfRankShare = (config: Config, { rankOfStage }: Placed, stageOf: StageOf): boolean =>
  sharedNames(config.model.layers).some((names) => {
    const stages = [...new Set(names.map(stageOf))];
    return new Set(stages.map((stage) => at(rankOfStage, stage))).size < stages.length;
  });

/**
 * The weights that several stages share, by the names that the run gives them. `each`: by the names of all their
 * modules, because each module has a parameter of its own.
 */
export const sharedAcrossStages = (config: Config, stageOf: StageOf, each: boolean): readonly string[] =>
  sharedNames(config.model.layers).flatMap((names) => {
    const [name = '', ...others] = names;
    if (others.every((other) => stageOf(other) === stageOf(name))) return [];
    return each ? names : [name];
  });

/** The names of each weight that modules of one stage share. */
export const lentInStages = ({ model }: Config, stageOf: StageOf): readonly (readonly string[])[] =>
  sharedNames(model.layers)
    .flatMap((names) => byStage(names, stageOf))
    .filter((names) => names.length > 1);

function byStage(names: readonly string[], stageOf: StageOf): readonly (readonly string[])[] {
  const groups = new Map<number, string[]>();
  for (const name of names) groups.set(stageOf(name), [...(groups.get(stageOf(name)) ?? []), name]);
  return [...groups.values()];
}
