/**
 * Weights that layers of two stages share (a Linear layer with `tied`). Each stage has a copy. After the last backward
 * pass the two ranks of a replica add up their gradients, so that the copies stay equal, as in Megatron-LM's embedding
 * group. If both stages are on one rank, it has one copy, whose gradient accumulates over both.
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
  readonly owner: number;
  /** The other stage that uses the parameter. */
  readonly user: number;
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
  return ranges.flatMap(({ start, end }, user) => {
    const sources = new Set(tiedNames(layers.slice(start, end)).map(({ source }) => source));
    return [...sources].flatMap((name): readonly Tie[] => {
      const { stage: owner, shape } = must(owners.get(name), name);
      return owner === user ? [] : [{ name, shape, owner, user }];
    });
  });
}

/** Parameters of other stages that a stage uses. */
export const borrowedBy = (ties: readonly Tie[], stage: number): readonly Tie[] =>
  ties.filter(({ user }) => user === stage);

/** Stages that have a copy of the parameter, apart from its owner. */
export const usersOf = (ties: readonly Tie[], name: string): readonly number[] =>
  ties.flatMap((tie) => (tie.name === name ? [tie.user] : []));

/** Whether both stages are on one rank. */
export const isOnOneRank = ({ owner, user }: Tie, rankOfStage: readonly number[]): boolean =>
  at(rankOfStage, owner) === at(rankOfStage, user);
