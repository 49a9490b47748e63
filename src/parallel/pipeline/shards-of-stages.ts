/**
 * fully_shard around the stages of a pipeline: the units of each stage, the settings that are refused, and which of
 * DDP's settings apply. Called by this folder.
 */
import { refusedSettings } from '../../base/refused-settings';
import { parametersOfLayer } from '../../nn/model';
import type { Config } from '../../protocol/config';
import { meshSizes, shardsParameters } from '../../protocol/mesh-sizes';
import type { DdpOfParts } from '../ddp/around-parts';
import { checkNotZeroOne } from '../even-mesh';
import { NO_DDP } from '../sharded/no-ddp';
import { checkUnits, type ShardedUnit, unitsOf } from '../sharded/units';
import { DDP_OF_STAGES } from './ddp-of-stages';
import { layerRanges } from './split';
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
