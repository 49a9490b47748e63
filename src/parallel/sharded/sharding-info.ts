/**
 * What a sharded run keeps, in bytes: the sizes that the ZeRO paper's formulas divide. Where tp cuts layers, those of
 * the part that rank 0 and its shard group have. Called through compiler.ts.
 */
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import { inGroup, optimizerState } from '../../optim/optimizer';
import { groupOf } from '../../optim/param-groups';
import type { ShardingInfo } from '../../protocol/session-info';
import { bytesOf, tensorBytes } from '../../tensor/shape';
import type { ModeInput } from '../mode-input';
import { unitsOn } from './emitter-of-parts';
import { unitLayout } from './unit-layout';
import { layersWithParameters, type ShardedUnit, unitsOf } from './units';

const RANK = 0;

export function shardingInfo({ config }: ModeInput, mesh: DeviceMesh): ShardingInfo {
  const own = (unit: ShardedUnit): ShardedUnit => unitsOn(config)(unit, RANK);
  const { parameters } = own({ path: '', parameters: parameterList(config.model.layers) });
  const total = (count: (name: string) => number): number =>
    parameters.reduce((bytes, { name, shape }) => bytes + count(name) * tensorBytes({ shape }), 0);
  const ranks = mesh.shape.dpShard;
  return {
    ranks,
    whole: {
      parameters: total(() => 1),
      gradients: total(() => 1),
      states: total((name) => optimizerState(inGroup(config, groupOf(name, config.paramGroups))).length),
    },
    layers: layersWithParameters(config),
    units: unitsOf(config)
      .map(own)
      .filter((unit) => unit.parameters.length > 0)
      .map((unit) => ({
        path: unit.path,
        bytes: unit.parameters.reduce((bytes, { shape }) => bytes + tensorBytes({ shape }), 0),
        perRankBytes: unitLayout(unit.parameters, ranks).perRank * bytesOf('f32'),
      })),
  };
}
