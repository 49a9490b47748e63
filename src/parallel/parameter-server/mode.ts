/**
 * tf.distribute's ParameterServerStrategy: cuda:0 is the server, which holds the parameters and the optimiser and
 * computes no gradients; the other devices are workers that pull parameters, compute gradients on their part of the
 * batch and push them. One coordinator drives all devices and cuts the batch by torch.chunk among the workers.
 * Synchronous: one step of the optimiser with the gradients of all workers; each worker's loss is weighted by its share
 * of the samples, so the step equals a single device's. Asynchronous: see asynchronous.ts. With one device it is plain
 * single-device training.
 */

import { Part } from '../../base/part';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ownedByFirst, shardMap } from '../../sharding/shard-map';
import { type ParallelMode, SCRIPT } from '../mode';
import { checkServer } from './checks';
import { parameterServer as face } from './face';
import { serverRows } from './server-rows';

const COMPILER = new Part('The compiler of parameter servers', () => import('./compiler'));

export const parameterServer: ParallelMode = {
  face,
  parts: [COMPILER],
  listing: new Part(SCRIPT, async () => (await import('./listing')).serverListing),
  check: checkServer,
  processGroup: () => ({}),
  // The workers step together: the loss of each is weighted by its share of the samples, as its gradient is.
  lossShares(config, rows) {
    if (!config.parameterServer.synchronous) return undefined;
    const counts = serverRows(config, rows).map(([, count]) => count);
    return counts.map((count) => (config.loss.reduction === 'sum' ? 1 : count / (rows[0] ?? 1)));
  },
  mesh: ({ worldSize, nodes }) => initDeviceMesh({}, { devicesPerRank: worldSize, nodes }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),
  shards: ({ worldSize }, tensors) => shardMap(tensors, ({ shape }) => ownedByFirst(shape, worldSize)),
  rowsOfDevice: serverRows,
  optimizerStepsPerStep: ({ worldSize, parameterServer: { synchronous } }) =>
    synchronous ? 1 : Math.max(1, worldSize - 1),

  closedForm: (run, pass) => COMPILER.get().closedForm(run, pass),
  notices: (input) => COMPILER.get().notices(input),
  compile: (input, kind) => COMPILER.get().compile(input, kind, parameterServer.mesh(input.config)),
  construct: (input) => COMPILER.get().construct(input),
};
