/** Describes DDP's buckets for the views and the closed form. Called by axes/, once for each run. */
import type { BucketInfo, BucketsInfo } from '../../protocol/session-info';
import type { ModeInput } from '../mode-input';
import type { StageGraph } from '../stage-graph';
import {
  type Buckets,
  initialBuckets,
  parameterBytes,
  passesBeforeRebuild,
  readyOrder,
  rebuilds,
  rebuiltBuckets,
  unusedParameters,
} from './ready-order';

export function bucketsInfo({ config }: ModeInput, stage: StageGraph): BucketsInfo {
  const size = new Map(stage.graph.values.map((v) => [v.name, parameterBytes(v)]));
  const info = (buckets: Buckets): readonly BucketInfo[] =>
    buckets.map((bucket) => ({
      bytes: bucket.reduce((n, p) => n + (size.get(p.name) ?? 0), 0),
      parameters: bucket.map((p) => p.name),
    }));
  return {
    initial: info(initialBuckets(stage, config)),
    rebuilt: rebuilds(config) ? info(rebuiltBuckets(stage, config)) : undefined,
    passesBeforeRebuild: rebuilds(config) ? passesBeforeRebuild(config) : undefined,
    readyOrder: readyOrder(stage).map((p) => p.name),
    unused: unusedParameters(stage).map((p) => p.name),
  };
}
