/**
 * Settings with which tensor parallelism of this model can run. The page sets them when the user chooses the mode.
 * Called through fits.ts.
 */
import type { Config } from '../../protocol/config';
import { everyRankHasPart, widest } from './face-size';

/** The chosen number of replicas, if the batch has rows for them, each with as many ranks as can have a column. */
export function fitted(config: Config): Config {
  const { pp: _pp, tp: _tp, dpShard: _dpShard, ...mesh } = config.mesh;
  const dpReplicate = Math.min(mesh.dpReplicate, config.worldSize, config.batchSize);
  const sized: Config = { ...config, mesh: { ...mesh, dpReplicate } };
  const columns = widest(config);
  let ranks = Math.max(1, Math.floor(config.worldSize / dpReplicate));
  while (!everyRankHasPart(columns, ranks)) ranks--;
  return { ...sized, worldSize: ranks * dpReplicate };
}
