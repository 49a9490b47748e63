/**
 * The layouts of a parameter's gradient and optimiser states: by default on the same devices and cut in the same way as
 * the parameter. A mode that places them elsewhere lists them itself. Called by blueprint.ts.
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
