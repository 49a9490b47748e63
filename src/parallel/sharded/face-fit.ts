/**
 * Settings with which a sharded run of this model can open. The page sets them when the user chooses the mode. Called
 * through fits.ts.
 */
import type { Config } from '../../protocol/config';

/** The chosen number of replicas, if the batch has a row for every rank, and the remaining ranks as shards. */
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
