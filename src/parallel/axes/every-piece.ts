/**
 * Ranks that compute all layers of a model whose tensors may be cut: tp cuts layers, dpShard cuts what is left into
 * shards. And the facets that all meshes with data axes have in common. Called by this folder.
 */
import { shardMap } from '../../sharding/shard-map';
import type { ModeBatches } from '../facets/mode-batches';
import type { ModePlacement } from '../facets/mode-placement';
import type { ModeProcesses } from '../facets/mode-processes';
import { layoutsOf } from '../sharded/pieces';
import { ranksDraw } from './own-draws';
import { everyLayer, sizedMesh } from './sized-mesh';

export const everyPiece: ModePlacement = {
  ...everyLayer(sizedMesh),
  shards(config, tensors) {
    const layoutOf = layoutsOf(config);
    const { devices } = sizedMesh(config);
    return shardMap(tensors, (tensor) => layoutOf(tensor, devices));
  },
};

export const SETTINGS_OF_DATA_AXES: readonly string[] = [
  'mesh.dpReplicate',
  'mesh.dpShard',
  'ddp.samplerSeed',
  'ddp.setEpoch',
];

/** The ranks of a shard group, or of a pipeline, take equally many batches. */
export const wholeBatches: ModeBatches = {
  sampler: () => 'distributedWhole',
  settings: SETTINGS_OF_DATA_AXES,
  ranksDraw,
};

export const oneGroup = { group: ({ ddp: { algorithm } }) => ({ algorithm }) } as const satisfies ModeProcesses;
