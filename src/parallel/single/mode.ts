/** Single: one process, one device; the reference that every other mode is compared with. */

import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { replicated, shardMap } from '../../sharding/shard-map';
import { type ParallelMode, SCRIPT } from '../mode';
import { singleForm } from './closed-form';
import { compileSingle } from './compile';
import { single as face } from './face';

export const single: ParallelMode = {
  face,
  listing: new Part(SCRIPT, async () => (await import('./listing')).singleListing),
  closedForm: singleForm,
  mesh: () => initDeviceMesh(),
  layersOfDevice: (config) => [config.model.layers.map((_, i) => i)],
  shards: (_config, tensors) => shardMap(tensors, ({ shape }) => replicated(shape, [0])),
  rowsOfDevice: (_config, [rows = 0]) => [[0, rows]],
  compile: compileSingle,
};
