/**
 * The layouts of what belongs to a parameter: its gradient and the states that the optimiser keeps for it lie where the
 * parameter does, cut as it is. A mode that has them elsewhere says so itself. Called by blueprint.ts.
 */
import { stateNames } from '../../optim/optimizer';
import type { Config } from '../../protocol/config';
import type { ShardMap } from '../../sharding/shard-map';

export function withStates(shards: ShardMap, config: Config, parameters: readonly string[]): ShardMap {
  const states = ['grad', ...stateNames(config)];
  const derived = parameters.flatMap((parameter) => {
    const layout = shards.get(parameter);
    return layout ? states.map((state) => [`${parameter}.${state}`, layout] as const) : [];
  });
  return new Map([...derived, ...shards]);
}
