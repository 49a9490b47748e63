/** Which piece of each tensor a rank keeps: the rows of its place on dpShard. Called by this folder. */
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import { pieceOf, type TensorRegion } from '../../sharding/piece';
import { shard } from '../../sharding/placement';
import { distributed, type Layout, replicated, type TensorSpec } from '../../sharding/shard-map';
import type { Shape } from '../../tensor/shape';

/** Of a parameter, the rows of rank `index` of `count`. */
export const shardOf = (shape: Shape, index: number, count: number): TensorRegion => ({
  shape,
  piece: pieceOf(shape, [{ placement: shard(0), index, count }]),
});

/** Parameters lie in shards from stage 2 on; running statistics and what the loss keeps are whole on every rank. */
export function layoutsOf(config: Config, parameters: ReadonlySet<string>): (tensor: TensorSpec) => Layout {
  const mesh = initDeviceMesh(meshSizes(config));
  const devices = mesh.devices;
  const isCut = config.sharded.stage >= 2;
  return ({ name, shape }) =>
    isCut && parameters.has(name)
      ? distributed(
          shape,
          devices.map((device) => ({
            device,
            cuts: [{ placement: shard(0), index: mesh.coordinate(device).dpShard, count: mesh.shape.dpShard }],
          })),
        )
      : replicated(shape, devices);
}
