/**
 * torch.nn.DataParallel: one process drives N devices. Every forward scatters the batch by torch.chunk, copies
 * parameters and buffers of device 0 to the others (replicate), runs the replicas (parallel_apply), and gathers the
 * outputs on device 0, where the loss is taken. Backward goes the same way and sums the replicas' gradients on device
 * 0, the only one with an optimiser. With fewer chunks than devices the rest stay idle, as in PyTorch. What is moved
 * is in moves.ts. Source: torch/nn/parallel/data_parallel.py.
 */

import { at, must } from '../../base/invariant';
import { Part } from '../../base/part';
import { chunkSizes } from '../../data/chunk';
import { type Graph, GraphBuilder } from '../../graph/graph';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { buildLoss } from '../../nn/losses';
import { ProgramBuilder } from '../../program/builder';
import { type MicroBatchKind, stepsAfter } from '../../protocol/step-kind';
import { ownedByFirst, shardMap } from '../../sharding/shard-map';
import { declareValues, emitAccumulate, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import { type ModeInput, type ParallelMode, type RowSlice, SCRIPT } from '../mode';
import { emitWholeBatch } from '../single/compile';
import { nodesOf, type ParameterRef, stageGraph } from '../stage-graph';
import { dataParallelForm } from './closed-form';
import { dataParallel as face } from './face';
import { gather, type Move, reduceAddCoalesced, replicate, scatter } from './moves';
import { chunkNotices } from './notices';

const OUTPUT = 'output';
const OUTPUT_GRADIENT = 'output.grad';

export const dataParallel: ParallelMode = {
  face,
  listing: new Part(SCRIPT, async () => (await import('./listing')).dataParallelListing),
  closedForm: dataParallelForm,
  notices: chunkNotices,
  wrapsModel: true,
  mesh: ({ worldSize, nodes }) => initDeviceMesh({}, { devicesPerRank: worldSize, nodes }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),

  shards: ({ worldSize }, tensors) => shardMap(tensors, ({ shape }) => ownedByFirst(shape, worldSize)),

  rowsOfDevice(config, [rows = 0]) {
    const sizes = chunkSizes(rows, config.worldSize);
    let start = 0;
    return Array.from({ length: config.worldSize }, (_, d) => {
      const count = sizes[d] ?? 0;
      const slice = [start, count] as const;
      start += count;
      return slice;
    });
  },

  compile(input, kind) {
    const builder = new ProgramBuilder(dataParallel.mesh(input.config), input.ops);
    kind.microBatches.forEach((microBatch, m) => {
      builder.startMicroBatch(m);
      const slices = dataParallel.rowsOfDevice(input.config, microBatch.rows).filter(([, count]) => count > 0);
      // One device: DataParallel calls the module itself. The other devices, if any, stay empty.
      const parameters =
        slices.length === 1
          ? emitWholeBatch(builder.lane(0), input, microBatch)
          : emitReplicas(builder, input, microBatch, slices);
      if (stepsAfter(kind, m)) emitOptimizer(builder.lane(0), input, parameters);
    });
    return builder.finish('dataParallel', kind);
  },
};

/** Forward and backward of a batch in several slices; the parameters of device 0 that got a gradient. */
function emitReplicas(
  builder: ProgramBuilder,
  input: ModeInput,
  { rows: [rows = 0], gradients }: MicroBatchKind,
  slices: readonly RowSlice[],
): readonly ParameterRef[] {
  const root = builder.lane(0);
  const replicas = slices.map(([start, count], d) => ({
    lane: builder.lane(d),
    start,
    count,
    stage: stageGraph(input, { rows: count, withLoss: false, gradients }),
  }));
  for (const { lane, stage } of replicas) declareValues(lane, stage);
  const move: Move = { builder, replicas };

  root.buffer({
    name: 'batch',
    shape: [rows, ...input.inputShape],
    dtype: input.inputType,
    category: 'data',
    persistent: false,
  });
  emitLoad(root, { buffer: 'batch', source: 'inputs', start: 0, count: rows });
  scatter(move, 'batch', (r) => r.stage.input, 'data', { phase: 'scatter', anchor: 'scatter' });
  replicate(move);
  for (const { lane, stage } of replicas) emitMasks(lane, stage);
  for (const node of nodesOf(at(replicas, 0).stage, 'forward').keys()) {
    for (const { lane, stage } of replicas)
      emitNode(lane, stage, must(nodesOf(stage, 'forward')[node], 'node'), 'parallel_apply');
  }
  const lossGraph = gatherAndLoss(move, input, rows);
  for (const node of lossGraph.nodes) emitNode(root, { graph: lossGraph, parameters: [] }, node);
  scatter(move, OUTPUT_GRADIENT, (r) => r.stage.outputGradient, 'gradient', {
    phase: 'backward',
    anchor: 'backward',
  });
  for (const node of nodesOf(at(replicas, 0).stage, 'backward').keys()) {
    for (const { lane, stage } of replicas)
      emitNode(lane, { graph: stage.graph, parameters: [] }, must(nodesOf(stage, 'backward')[node], 'node'));
  }
  reduceAddCoalesced(move);
  const { parameters } = at(replicas, 0).stage;
  emitAccumulate(root, parameters, { phase: 'reduce', anchor: 'backward' });
  return parameters;
}

/** Gather.apply (concatenate on device 0), then the loss there. Returns the loss's own graph. */
function gatherAndLoss({ builder, replicas }: Move, input: ModeInput, rows: number): Graph {
  const root = builder.lane(0);
  const rowShape = root.spec(at(replicas, 0).stage.output).shape.slice(1);

  const graph = new GraphBuilder(input.ops);
  const output = graph.value(OUTPUT, { shape: [rows, ...rowShape], dtype: 'f32' }, 'activation');
  const target = graph.value('y', { shape: [rows, ...input.targetShape], dtype: input.targetType }, 'target');
  const loss = buildLoss(graph, input.config.loss, output, target);
  graph.backward(new Map([[loss, graph.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed')]]), [output]);
  const finished = graph.finish();
  declareValues(root, {
    graph: finished,
    input: OUTPUT,
    output: OUTPUT,
    outputGradient: OUTPUT_GRADIENT,
    inputGradient: undefined,
    parameters: [],
    registered: [],
    masks: [],
    lossGradient: 1 / input.config.accumulate,
  });

  gather({ builder, replicas }, OUTPUT);
  emitLoad(root, { buffer: 'y', source: 'targets', start: 0, count: rows });
  return finished;
}
