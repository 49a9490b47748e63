/**
 * Axis dpShard, as fully_shard keeps it: the ranks of a shard group keep shards of the parameters, gradients and
 * optimiser states of one replica of the model, or of one rank's part of each layer if tp cuts the layers. Replicas of
 * the group lie along dpReplicate. In stages 0 and 1 of ZeRO parameters are whole, and zero.ts has the facets. The
 * mechanism is in sharded/. Loaded by spmd.ts.
 */
import type { Config } from '../../protocol/config';
import { meshSizes, openAxis } from '../../protocol/mesh-sizes';
import type { ModeFacets } from '../facets/mode-facets';
import { shardedForm } from '../sharded/closed-form';
import { compileShards } from '../sharded/compile';
import { shardedNotices } from '../sharded/notices';
import { settleShards } from '../sharded/settle';
import { shardingInfo } from '../sharded/sharding-info';
import { planInfo } from '../tensor/plan-info';
import { everyPiece, oneGroup, wholeBatches } from './every-piece';
import { sizedMesh } from './sized-mesh';

const hasPlan = (config: Config): boolean => meshSizes(config).tp > 1 || openAxis(config.mode) === 'tp';

export const shards: ModeFacets = {
  place: everyPiece,
  batches: wholeBatches,
  steps: { accumulation: ({ sharded }) => ({ passesBeforeRebuild: 0, reducesEveryPass: sharded.syncEveryPass }) },
  processes: oneGroup,
  compiler: {
    settle: settleShards,
    compile: (input, kind) => compileShards(input, kind, sizedMesh(input.config)),
  },
  facts: {
    closedForm: (run, pass) => shardedForm(run, pass, sizedMesh(run.config)),
    plan: (input) => (hasPlan(input.config) ? planInfo(input, sizedMesh(input.config)) : undefined),
    sharding: (input) => shardingInfo(input, sizedMesh(input.config)),
  },
  checks: { notices: shardedNotices },
};
