/** The ranks of a mesh whose sizes the settings give, and the placement of a model on ranks that compute all layers. */
import { at } from '../../base/invariant';
import { type DeviceMesh, initDeviceMesh } from '../../mesh/device-mesh';
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { ModePlacement } from '../facets/mode-placement';

export const sizedMesh = (config: Config): DeviceMesh => initDeviceMesh(meshSizes(config), { nodes: config.nodes });

/** Every rank works on all rows of its data index. */
export const rowsOfDataIndex = (mesh: DeviceMesh, rows: readonly number[]): ReturnType<ModePlacement['rowsOfDevice']> =>
  mesh.world.ranks.map((rank) => [0, at(rows, mesh.dataIndex(rank))] as const);

/** Every rank computes all layers, or its part of all layers. */
export const everyLayer = (
  meshOf: (config: Config) => DeviceMesh,
): Pick<ModePlacement, 'layersOfDevice' | 'rowsOfDevice'> => ({
  layersOfDevice: (config) => meshOf(config).devices.map(() => [...config.model.layers.keys()]),
  rowsOfDevice: (config, rows) => rowsOfDataIndex(meshOf(config), rows),
});
