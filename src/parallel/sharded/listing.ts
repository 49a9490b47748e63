/**
 * The PyTorch script of sharded data parallelism: fully_shard of each unit and of the model, or for stage 1
 * DistributedDataParallel with a ZeroRedundancyOptimizer. For torch 2.6 and later. Called through mode.ts.
 */
import { codeLine as line } from '../../interop/pytorch/code-line';
import { syncLines } from '../../interop/pytorch/comm-hooks';
import { loaderLines, setsEpoch } from '../../interop/pytorch/ddp';
import { ranksLines } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { modelCode } from '../../interop/pytorch/model';
import { modelTypeLines } from '../../interop/pytorch/precision';
import { LISTING, microBatch } from '../../interop/pytorch/script';
import { BEGINS_ANEW } from '../../interop/pytorch/script-parts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { CodeLine } from '../../protocol/trace';
import { ddpListing } from '../ddp/listing';
import { tensorListing } from '../tensor/listing';
import { fsdpImport, gradientSyncLines, shardLines } from './shard-lines';

export function shardedListing(asked: Config, dialect: Dialect = LISTING): CodeLine[] {
  const { resume, ...begun } = asked;
  const { stage } = asked.sharded;
  // A checkpoint has whole optimiser states: the files beside train.py cut them, but the listing is too short for that.
  const resumes = stage === 0 || dialect.resumesStages;
  const given: Config = resumes ? asked : begun;
  const notes = !resumes && resume !== undefined ? [BEGINS_ANEW] : [];
  const place = { size: given.worldSize, rank: 'rank', dropsLast: given.dropLast };
  if (stage < 2)
    return ddpListing(given, dialect, {
      place,
      notes,
      ...(stage === 1
        ? {
            imports: ['from torch.distributed.optim import ZeroRedundancyOptimizer'],
            optimizerWrapper: 'ZeroRedundancyOptimizer',
          }
        : {}),
    });
  if (meshSizes(given).tp > 1) return tensorListing(asked, dialect);
  // fully_shard has no no_sync(): set_requires_gradient_sync() says which passes reduce.
  const config: Config = { ...given, ddp: { ...given.ddp, noSync: 'none' } };
  const { dpShard, dpReplicate } = meshSizes(config);
  const loaders = loaderLines(config, Math.floor(microBatch(config) / config.worldSize), dialect, place);
  const timeout = config.timeoutS === DEFAULT_CONFIG.timeoutS ? [] : [`timeout=timedelta(seconds=${config.timeoutS})`];
  return dialect.assemble(config, {
    about: `with fully_shard on ${dpShard} ranks${dpReplicate > 1 ? `, ${dpReplicate} replicas of them` : ''}`,
    notes,
    imports: [
      'import os',
      ...(timeout.length > 0 ? ['from datetime import timedelta'] : []),
      'from torch.distributed.device_mesh import init_device_mesh',
      fsdpImport(config),
    ],
    group: ranksLines(timeout, config.sharded.cpuOffload),
    offloads: config.sharded.cpuOffload,
    behindGroup: [
      dpReplicate > 1
        ? `mesh = init_device_mesh(device.type, (${dpReplicate}, ${dpShard}), mesh_dim_names=('dp_replicate', 'dp_shard'))`
        : `mesh = init_device_mesh(device.type, (${dpShard},), mesh_dim_names=('dp_shard',))`,
    ],
    holdsGroup: { holders: [], graph: [] },
    model: modelCode(config.model.layers, 'device', config.checkpointSegments),
    dataNames: loaders.names,
    afterModel: [...modelTypeLines(config), ...syncLines(config), ...shardLines(config, 'mesh')],
    loaders: loaders.lines,
    loop: {
      inputs: 'device',
      targets: 'device',
      epochStart: setsEpoch(config) ? [line('sampler.set_epoch(epoch)', 'set_epoch')] : [],
      ranks: true,
      beforeForward: gradientSyncLines(config),
      log: dialect.loss('loss', true),
    },
  });
}
