/**
 * Weights that layers of several stages share (a Linear layer with `tied`). Every rank with such a stage has a copy.
 * After the last backward pass these ranks of a replica add up their gradients, so that the copies stay equal, as in
 * Megatron-LM's embedding group. Stages on one rank use one copy, whose gradient accumulates over these stages.
 */
import { at, must } from '../../base/invariant';
import { parametersOfLayer } from '../../nn/model';
import { tiedNames } from '../../nn/tied';
import type { Config } from '../../protocol/config';
import type { Shape } from '../../tensor/shape';
import { layerRanges } from './split';

export interface Tie {
  /** Name of the parameter in the stage that has its layer. */
  readonly name: string;
  readonly shape: Shape;
  /** The stages that use the parameter, first the stage that has its layer. */
  readonly stages: readonly number[];
}

/** The ties between stages of a settled configuration. Ties within one stage need no communication. */
export function tiesOf(config: Config): readonly Tie[] {
  const { layers } = config.model;
  const ranges = layerRanges(config);
  const owners = new Map(
    ranges.flatMap(({ start, end }, stage) =>
      layers
        .slice(start, end)
        .flatMap((layer, i) =>
          parametersOfLayer(layer, start + i).map(({ name, shape }) => [name, { stage, shape }] as const),
        ),
    ),
  );
  const sourcesIn = ranges.map(
    ({ start, end }) => new Set(tiedNames(layers.slice(start, end)).map(({ source }) => source)),
  );
  return [...new Set(sourcesIn.flatMap((names) => [...names]))].flatMap((name): readonly Tie[] => {
    const { stage: owner, shape } = must(owners.get(name), name);
    const users = sourcesIn.flatMap((names, stage) => (names.has(name) && stage !== owner ? [stage] : []));
    return users.length === 0 ? [] : [{ name, shape, stages: [owner, ...users] }];
  });
}

/** Parameters of other stages that a stage uses. */
export const borrowedBy = (ties: readonly Tie[], stage: number): readonly Tie[] =>
  ties.filter(({ stages }) => stages.indexOf(stage) > 0);

/** Stages that use the parameter, apart from the stage that has its layer. */
export const usersOf = (ties: readonly Tie[], name: string): readonly number[] =>
  ties.flatMap((tie) => (tie.name === name ? tie.stages.slice(1) : []));

/** The stages of a tie by the pipeline rank that has them. */
export function stagesByRank({ stages }: Tie, rankOfStage: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const byRank = new Map<number, number[]>();
  for (const stage of stages) {
    const rank = at(rankOfStage, stage);
    byRank.set(rank, [...(byRank.get(rank) ?? []), stage]);
  }
  return byRank;
}
