/** One process that drives all devices, for modes without ranks. Called by the modes with such a process. */
import { type DeviceMesh, initDeviceMesh } from '../mesh/device-mesh';
import type { Config } from '../protocol/config';
import { ownedByFirst, shardMap } from '../sharding/shard-map';
import type { ModePlacement } from './facets/mode-placement';

export const meshOfOneProcess = ({ worldSize, nodes }: Config): DeviceMesh =>
  initDeviceMesh({}, { devicesPerRank: worldSize, nodes });

/** All devices compute all layers with copies of the parameters that cuda:0 has. */
export const modelOnFirst: Pick<ModePlacement, 'layersOfDevice' | 'shards'> = {
  layersOfDevice: ({ worldSize, model }) => Array.from({ length: worldSize }, () => [...model.layers.keys()]),
  shards: ({ worldSize }, tensors) => shardMap(tensors, ({ shape }) => ownedByFirst(shape, worldSize)),
};
