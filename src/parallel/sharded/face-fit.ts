/**
 * The settings with which a sharded run of this model opens: what the page sets when the mode is chosen. Called through
 * fits.ts.
 */
import type { Config } from '../../protocol/config';

/** As many replicas as are set, if the batch has a row for every rank, and in each as many shards as are left. */
export function fitted(config: Config): Config {
  const { pp: _pp, tp: _tp, dpShard: _dpShard, ...mesh } = config.mesh;
  const perMicroBatch = Math.max(1, Math.floor(config.batchSize / config.accumulate));
  const dpReplicate = Math.min(mesh.dpReplicate, config.worldSize, perMicroBatch);
  const shards = Math.max(
    1,
    Math.min(Math.floor(config.worldSize / dpReplicate), Math.floor(perMicroBatch / dpReplicate)),
  );
  return { ...config, mesh: { ...mesh, dpReplicate }, worldSize: shards * dpReplicate };
}
