/** What a sharded run keeps, in bytes: the sizes that the ZeRO paper's formulas divide. Called through compiler.ts. */
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import { inGroup, optimizerState } from '../../optim/optimizer';
import { groupOf } from '../../optim/param-groups';
import type { ShardingInfo } from '../../protocol/session-info';
import { bytesOf, tensorBytes } from '../../tensor/shape';
import type { ModeInput } from '../mode-input';
import { unitLayout } from './unit-layout';
import { layersWithParameters, unitsOf } from './units';

export function shardingInfo({ config }: ModeInput, mesh: DeviceMesh): ShardingInfo {
  const parameters = parameterList(config.model.layers);
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
      .filter((unit) => unit.parameters.length > 0)
      .map((unit) => ({
        path: unit.path,
        bytes: unit.parameters.reduce((bytes, { shape }) => bytes + tensorBytes({ shape }), 0),
        perRankBytes: unitLayout(unit.parameters, ranks).perRank * bytesOf('f32'),
      })),
  };
}
