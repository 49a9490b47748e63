/**
 * fully_shard around the stages of a pipeline: the units of each stage, the settings that are refused, which of DDP's
 * settings apply, and the bytes that rank 0 keeps. Called by this folder and by axes/stages.
 */
import { refusedSettings } from '../../base/refused-settings';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parametersOfLayer } from '../../nn/model';
import type { Config } from '../../protocol/config';
import { meshSizes, shardsParameters } from '../../protocol/mesh-sizes';
import type { ShardingInfo } from '../../protocol/session-info';
import type { DdpOfParts } from '../ddp/around-parts';
import { checkNotZeroOne } from '../even-mesh';
import type { ModeInput } from '../mode-input';
import { NO_DDP } from '../sharded/no-ddp';
import { shardingInfo } from '../sharded/sharding-info';
import { checkUnits, type ShardedUnit, unitsOf } from '../sharded/units';
import { DDP_OF_STAGES } from './ddp-of-stages';
import { layerRanges } from './split';
import { scheduleOf } from './stages';
import { tiesOf } from './ties';

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

/** Describes the shards that the first rank keeps of its stages. */
export function shardsOfFirstRank(input: ModeInput, mesh: DeviceMesh): ShardingInfo {
  const { rankOfStage } = scheduleOf(input.config);
  const own = rankOfStage.flatMap((rank, stage) => (rank === 0 ? [stage] : []));
  return shardingInfo(input, mesh, { stages: unitsOfStages(input.config), own });
}

export const ddpOfStages = (config: Config): DdpOfParts => (shardsParameters(config) ? NO_DDP : DDP_OF_STAGES);

/** Needs a configuration whose split is settled. */
export function checkShardsOfStages(config: Config): void {
  const { dpShard } = meshSizes(config);
  const { stage, reshardTo } = config.sharded;
  if (dpShard === 1 || stage === 0) return;
  checkNotZeroOne(config);
  if (reshardTo !== undefined)
    throw refusedSettings({
      settings: { 'sharded.reshardTo': reshardTo, mode: config.mode },
      why: 'in a pipeline a unit that a backward pass has gathered stays whole for the next micro-batch, so ranks would disagree on which of them gather next',
      hint: 'Leave sharded.reshardTo out, or choose mode "sharded".',
    });
  checkUnits(config);
  const [tie] = tiesOf(config);
  if (tie)
    throw refusedSettings({
      settings: { mode: config.mode, 'mesh.dpShard': dpShard, 'pipeline.split': config.pipeline.split },
      why: `the stages ${tie.owner} and ${tie.user} share the weight ${tie.name}, and fully_shard around one stage does not know the other stage`,
      hint: 'Put both layers into one stage, or set sharded.stage to 0 for DistributedDataParallel around each stage.',
    });
}
