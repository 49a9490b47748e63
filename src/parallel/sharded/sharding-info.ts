/**
 * The bytes that a sharded run keeps: the sizes that the ZeRO paper's formulas divide. If tp or pp cuts the model, the
 * sizes of the part of rank 0 and its shard group. Called by axes/ and by the pipeline's shards-around-stages.
 */
import { at } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { inGroup, optimizerState } from '../../optim/optimizer';
import { groupOf } from '../../optim/param-groups';
import { modelHalf, paramHalf } from '../../protocol/half-of';
import type { ShardingInfo } from '../../protocol/session-info';
import { bytesOf, elements, type Shape, tensorBytes } from '../../tensor/shape';
import type { ModeInput } from '../mode-input';
import { storedAs } from '../stored';
import { unitsOn } from './emitter-of-parts';
import { unitLayout } from './unit-layout';
import { layersWithParameters, type ShardedUnit, unitsOf } from './units';

const RANK = 0;

/** `stages`: the units of each pipeline stage; `own`: the stages of rank 0; absent: it has all. */
export function shardingInfo(
  { config }: ModeInput,
  mesh: DeviceMesh,
  { stages, own }: { readonly stages: readonly (readonly ShardedUnit[])[]; readonly own: readonly number[] } = {
    stages: [unitsOf(config)],
    own: [0],
  },
): ShardingInfo {
  const onRank = (unit: ShardedUnit): ShardedUnit => unitsOn(config)(unit, RANK);
  const kept = own.flatMap((stage) => at(stages, stage)).map(onRank);
  const parameters = kept.flatMap((unit) => unit.parameters);
  const stored = modelHalf(config.precision);
  const bytesOfTensor = (shape: Shape): number => tensorBytes(storedAs({ shape, dtype: 'f32' }, stored));
  const total = (count: (name: string) => number): number =>
    parameters.reduce((bytes, { name, shape }) => bytes + count(name) * bytesOfTensor(shape), 0);
  const ranks = mesh.shape.dpShard;
  const half = paramHalf(config);
  const gatheredBytes = (shape: Shape): number => (half ? 2 * elements(shape) : tensorBytes({ shape }));
  const isShown = (unit: ShardedUnit): boolean =>
    unit.parameters.length > 0 &&
    (unit.path !== '' || kept.some((each) => each.parameters[0]?.name === unit.parameters[0]?.name));
  return {
    ranks,
    whole: {
      parameters: total(() => 1),
      gradients: total(() => 1),
      states: total((name) => optimizerState(inGroup(config, groupOf(name, config.paramGroups))).length),
    },
    layers: layersWithParameters(config),
    units: stages
      .flat()
      .filter(isShown)
      .map(onRank)
      .map((unit) => ({
        path: unit.path,
        bytes: unit.parameters.reduce((bytes, { shape }) => bytes + gatheredBytes(shape), 0),
        perRankBytes: unitLayout(unit.parameters, ranks, half).places * bytesOf('f32'),
      })),
  };
}
