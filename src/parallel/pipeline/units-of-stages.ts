/** The units of fully_shard in each stage of a pipeline. Called by shards-around-stages.ts and shards-form.ts. */
import { parametersOfLayer } from '../../nn/model';
import type { Config } from '../../protocol/config';
import { type ShardedUnit, unitsOf } from '../sharded/units';
import { layerRanges } from './split';

/** The units of each stage for a settled configuration. The root is first and holds the parameters of no other unit. */
export function unitsOfStages(config: Config): readonly (readonly ShardedUnit[])[] {
  const units = unitsOf(config);
  return layerRanges(config).map(({ start, end }) => {
    const { layers } = config.model;
    const own = new Set(
      layers.slice(start, end).flatMap((layer, i) => parametersOfLayer(layer, start + i).map(({ name }) => name)),
    );
    return units
      .map((unit) => ({ ...unit, parameters: unit.parameters.filter(({ name }) => own.has(name)) }))
      .filter(({ path, parameters }) => path === '' || parameters.length > 0);
  });
}
