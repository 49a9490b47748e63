/**
 * A mesh with replicas that cannot divide the devices evenly is refused; uneven rows get a notice. Also refuses ZeRO
 * stage 1 on parts of a model. Called by the modes sharded, tensor and pipeline.
 */
import { refusedSettings } from '../base/refused-settings';
import type { Config } from '../protocol/config';
import { meshSizes, openAxis, ranksOf, replicasOf } from '../protocol/mesh-sizes';
import type { Notice } from '../protocol/notice';
import type { NoticeInput } from './facets/mode-checks';

/** `share`: what the ranks along the open axis share. */
export function checkDevices(config: Config, share: string): void {
  const { mesh, worldSize, mode } = config;
  if (worldSize === ranksOf(meshSizes(config))) return;
  const isBeside = (axis: 'dpShard' | 'tp') => axis !== openAxis(mode) && mesh[axis] !== undefined;
  const beside = `${isBeside('dpShard') ? ` of ${mesh.dpShard} shards` : ''}${isBeside('tp') ? ` with ${mesh.tp} ranks for each layer` : ''}`;
  throw refusedSettings({
    code: 'placement',
    settings: {
      worldSize,
      'mesh.dpReplicate': mesh.dpReplicate,
      ...(isBeside('dpShard') ? { 'mesh.dpShard': mesh.dpShard } : {}),
      ...(isBeside('tp') ? { 'mesh.tp': mesh.tp } : {}),
    },
    why: `${worldSize} ${worldSize === 1 ? 'device' : 'devices'} cannot be divided evenly among ${mesh.dpReplicate} replicas${beside}`,
    hint: `Set mesh.dpReplicate to a divisor of worldSize, or mesh.${openAxis(mode)} to the number of ranks that share ${share}.`,
  });
}

/** Refuses stage 1 of ZeRO where a rank has only a part of the model. */
export function checkNotZeroOne({ mode, mesh, sharded }: Config): void {
  if (sharded.stage !== 1 || (mesh.dpShard ?? 1) === 1) return;
  throw refusedSettings({
    settings: { 'sharded.stage': sharded.stage, mode, 'mesh.dpShard': mesh.dpShard },
    why: 'ZeroRedundancyOptimizer shares out the parameters of a whole model, and here each rank has a part of it',
    hint: 'Set sharded.stage to 2 or 3 for fully_shard, or to 0 for DistributedDataParallel.',
  });
}

/** `who`: name of the parties with rows of their own. */
export function unevenBatch(
  { config, rows }: NoticeInput,
  who: 'ranks' | 'replicas' | 'tensor groups',
): readonly Notice[] {
  const { batchSize, accumulate } = config;
  const count = replicasOf(config);
  const together = (rows[0] ?? 0) * count;
  if (together * accumulate >= batchSize || batchSize % (count * accumulate) === 0) return [];
  return [
    {
      level: 'info',
      id: 'batch-uneven',
      text: `A batch of ${batchSize} does not divide by ${count} ${who}: each trains on ${rows[0] === 1 ? 'one row' : `${rows[0]} rows`}, which is ${together} in all.`,
      hint: `Choose a multiple of ${count} to compare with the other modes sample for sample.`,
    },
  ];
}
