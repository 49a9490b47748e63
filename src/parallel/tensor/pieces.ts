/** The piece of each tensor that the plan gives to a device. Called by the modes tensor, sharded and pipeline. */
import { at } from '../../base/invariant';
import { placementOf } from '../../graph/partition/plan';
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { DeviceIndex } from '../../protocol/trace';
import { pieceOf, pieceShape } from '../../sharding/piece';
import type { TensorSpec } from '../../sharding/shard-map';
import type { Shape } from '../../tensor/shape';
import { planIn } from './plan';

type CutsOf = (name: string, device: DeviceIndex) => Parameters<typeof pieceOf>[1];

/** The cuts of a settled configuration. */
export function cutsOf(config: Config): CutsOf {
  const mesh = initDeviceMesh(meshSizes(config));
  const plan = planIn(config);
  return (name, device) => {
    const { tp: index } = mesh.coordinate(at(mesh.rankOfDevice, device));
    return [{ placement: placementOf(plan, name), index, count: mesh.shape.tp }];
  };
}

export function shapesOn(config: Config): (tensor: TensorSpec, device: DeviceIndex) => Shape {
  const cuts = cutsOf(config);
  return ({ name, shape }, device) => pieceShape(pieceOf(shape, cuts(name, device)));
}
