/**
 * The settings with which tensor parallelism of this model runs: what the page sets when the mode is chosen. Called
 * through fits.ts.
 */
import type { Config } from '../../protocol/config';
import { everyRankHasPart, widest } from './face-size';

/** As many replicas as are set, if the batch has rows for them, and in each as many ranks as find a column. */
export function fitted(config: Config): Config {
  const { pp: _pp, tp: _tp, dpShard: _dpShard, ...mesh } = config.mesh;
  const dpReplicate = Math.min(mesh.dpReplicate, config.worldSize, config.batchSize);
  const sized: Config = { ...config, mesh: { ...mesh, dpReplicate } };
  const columns = widest(config);
  let ranks = Math.max(1, Math.floor(config.worldSize / dpReplicate));
  while (!everyRankHasPart(columns, ranks)) ranks--;
  return { ...sized, worldSize: ranks * dpReplicate };
}
