/**
 * The piece of each tensor that a rank keeps: tp cuts the tensor first, then dpShard cuts the rows of that part, as
 * fully_shard does after parallelize_module. A weight that both cut by rows has torch's _StridedShard. Called by this
 * folder and by the modes tensor and pipeline.
 */
import { initDeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import type { Config } from '../../protocol/config';
import { meshSizes, shardsParameters } from '../../protocol/mesh-sizes';
import type { DeviceIndex } from '../../protocol/trace';
import { type Cut, pieceOf, type TensorRegion } from '../../sharding/piece';
import { shard } from '../../sharding/placement';
import { distributed, type Layout, type TensorSpec } from '../../sharding/shard-map';
import { cutsOf as cutsByPlan } from '../tensor/pieces';

/** The cuts of a tensor on a device, in order, for a settled configuration. */
function cutsOf(config: Config): (name: string, device: DeviceIndex) => readonly Cut[] {
  const mesh = initDeviceMesh(meshSizes(config));
  const ofPlan = mesh.shape.tp > 1 ? cutsByPlan(config) : () => [];
  const parameters = new Set(
    shardsParameters(config) ? parameterList(config.model.layers).map(({ name }) => name) : [],
  );
  return (name, device) => {
    const rows = { placement: shard(0), index: mesh.coordinate(device).dpShard, count: mesh.shape.dpShard };
    return [...ofPlan(name, device), ...(parameters.has(name) ? [rows] : [])];
  };
}

/**
 * `devices`: those that have a piece. Running statistics and the loss's tensors are not sharded along dpShard, nor are
 * parameters below stage 2.
 */
export function layoutsOf(config: Config): (tensor: TensorSpec, devices: readonly DeviceIndex[]) => Layout {
  const cuts = cutsOf(config);
  return ({ name, shape }, devices) =>
    distributed(
      shape,
      devices.map((device) => ({ device, cuts: cuts(name, device) })),
    );
}

export function regionsOf(config: Config): (tensor: TensorSpec, device: DeviceIndex) => TensorRegion {
  const cuts = cutsOf(config);
  return ({ name, shape }, device) => ({ shape, piece: pieceOf(shape, cuts(name, device)) });
}
