/**
 * torch.nn.DataParallel: one process drives N devices. Every forward scatters the batch by torch.chunk, copies
 * parameters and buffers of device 0 to the others (replicate), runs the replicas (parallel_apply), and gathers the
 * outputs on device 0, which computes the loss. Backward goes the same way and sums the replicas' gradients on device
 * 0, the only one with an optimiser. With fewer chunks than devices the rest stay idle, as in PyTorch. moves.ts emits
 * the transfers. Source: torch/nn/parallel/data_parallel.py.
 */

import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { halfOf } from '../../protocol/half-of';
import { ownedByFirst, shardMap } from '../../sharding/shard-map';
import { type ParallelMode, SCRIPT } from '../mode';
import { checkAutocast } from './checks';
import { chunkRows } from './chunk-rows';
import { dataParallel as face } from './face';

const COMPILER = new Part('The compiler of DataParallel', () => import('./compiler'));

export const dataParallel: ParallelMode = {
  face,
  parts: [COMPILER],
  listing: new Part(SCRIPT, async () => (await import('./listing')).dataParallelListing),
  opFamilies: (config) => (halfOf(config) ? ['halves'] : []),
  check: checkAutocast,
  wrapsModel: true,
  mesh: ({ worldSize, nodes }) => initDeviceMesh({}, { devicesPerRank: worldSize, nodes }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),
  shards: ({ worldSize }, tensors) => shardMap(tensors, ({ shape }) => ownedByFirst(shape, worldSize)),
  rowsOfDevice: chunkRows,

  closedForm: (run, pass) => COMPILER.get().closedForm(run, pass),
  notices: (input) => COMPILER.get().notices(input),
  compile: (input, kind) => COMPILER.get().compile(input, kind, dataParallel.mesh(input.config)),
};
