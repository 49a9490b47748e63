/**
 * tf.distribute's ParameterServerStrategy: cuda:0 is the server, which holds the parameters and the optimiser and
 * computes no gradients; the other devices are workers that pull parameters, compute gradients on their part of the
 * batch and push them. One coordinator drives all devices and cuts the batch by torch.chunk among the workers.
 * Synchronous: one step of the optimiser with what all workers bring; each worker's loss counts by its share of the
 * samples, so it is the step of a single device. Asynchronous: parameter-server-async.ts. A world of one device is
 * plain single-device training.
 */

import { at } from '../../base/invariant';
import { Part } from '../../base/part';
import { chunkSizes } from '../../data/chunk';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import { type MicroBatchKind, stepsAfter } from '../../protocol/step-kind';
import { ownedByFirst, shardMap } from '../../sharding/shard-map';
import { emitOptimizer } from '../emit-optimizer';
import { type ModeInput, type ParallelMode, SCRIPT } from '../mode';
import { compileSingle } from '../single/compile';
import { stageGraph } from '../stage-graph';
import { asynchronousStep, initialCopies } from './asynchronous';
import { checkServer } from './checks';
import { serverForm } from './closed-form';
import { parameterServer as face } from './face';
import { serverNotices } from './notices';
import { declareServer, emitWorker, keptNames, pull, push, type Worker, weighted } from './parts';

export const parameterServer: ParallelMode = {
  face,
  listing: new Part(SCRIPT, async () => (await import('./listing')).serverListing),
  closedForm: serverForm,
  check: checkServer,
  notices: serverNotices,
  processGroup: () => ({}),
  // One step of all workers: each counts by its share of the samples, as its gradient does.
  lossShares(config, rows) {
    if (!config.parameterServer.synchronous) return undefined;
    const counts = parameterServer.rowsOfDevice(config, rows).map(([, count]) => count);
    return counts.map((count) => (config.loss.reduction === 'sum' ? 1 : count / (rows[0] ?? 1)));
  },
  mesh: ({ worldSize, nodes }) => initDeviceMesh({}, { devicesPerRank: worldSize, nodes }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),

  shards: ({ worldSize }, tensors) => shardMap(tensors, ({ shape }) => ownedByFirst(shape, worldSize)),

  rowsOfDevice({ worldSize }, [rows = 0]) {
    if (worldSize === 1) return [[0, rows]];
    const sizes = chunkSizes(rows, worldSize - 1);
    let start = 0;
    return Array.from({ length: worldSize }, (_, device) => {
      const count = device === 0 ? 0 : (sizes[device - 1] ?? 0);
      const slice = [start, count] as const;
      start += count;
      return slice;
    });
  },

  compile(input, kind) {
    const { config } = input;
    if (config.worldSize === 1) return { ...compileSingle(input, kind), mode: 'parameterServer' };
    const { synchronous } = config.parameterServer;
    const builder = new ProgramBuilder(parameterServer.mesh(config), input.ops);
    const server = builder.lane(0);
    kind.microBatches.forEach((microBatch, m) => {
      builder.startMicroBatch(m);
      const workers = workersOf(builder, input, microBatch);
      const { stage } = at(workers, 0);
      declareServer(server, stage);
      if (!synchronous) {
        asynchronousStep(builder, input, workers);
        return;
      }
      for (const worker of workers) {
        // Between micro-batches nothing changes on the server.
        emitWorker(worker, () => {
          if (microBatch.gradients === 'set') pull(builder, worker, keptNames(stage));
        });
      }
      if (!stepsAfter(kind, m)) return;
      workers.forEach((worker, k) => {
        push(builder, worker, { sum: k > 0, buffers: k === 0 });
      });
      server.handOver('comm', 'compute', { phase: 'step', anchor: 'step' });
      emitOptimizer(server, input, stage.parameters);
    });
    return builder.finish('parameterServer', kind);
  },

  construct: (input) => initialCopies(input),
  optimizerStepsPerStep: ({ worldSize, parameterServer: { synchronous } }) =>
    synchronous ? 1 : Math.max(1, worldSize - 1),
};

/** Those that have rows of the batch. */
function workersOf(
  builder: ProgramBuilder,
  input: ModeInput,
  { rows: [rows = 0], gradients }: MicroBatchKind,
): readonly Worker[] {
  const { config } = input;
  const { synchronous } = config.parameterServer;
  const share = (count: number): number => (synchronous && config.loss.reduction !== 'sum' ? count / rows : 1);
  return parameterServer.rowsOfDevice(config, [rows]).flatMap(([start, count], device): readonly Worker[] => {
    if (count === 0) return [];
    const stage = stageGraph(input, { rows: count, withLoss: true, gradients });
    return [{ lane: builder.lane(device), stage: weighted(stage, share(count)), start, count }];
  });
}
