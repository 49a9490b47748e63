/** The part of the mode that is loaded when a run needs it. Only mode.ts imports this file. */
import { at, must } from '../../base/invariant';
import { type Graph, GraphBuilder } from '../../graph/graph';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { buildLoss } from '../../nn/losses';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { type MicroBatchKind, stepsAfter, type TrainingKind } from '../../protocol/step-kind';
import { declareValues, emitAccumulate, emitLoad, emitMasks, emitNode } from '../emit';
import { emitOptimizer } from '../emit-optimizer';
import type { ModeInput, RowSlice } from '../mode';
import { nodesOf, type ParameterRef, stageGraph } from '../stage-graph';
import { emitWholeBatch } from '../step/step';
import { chunkRows } from './chunk-rows';
import { gather, type ReplicaMove, reduceAddCoalesced, replicate, scatter } from './moves';

export { dataParallelForm as closedForm } from './closed-form';
export { chunkNotices as notices } from './notices';

const OUTPUT = 'output';
const OUTPUT_GRADIENT = 'output.grad';

export function compile(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const builder = new ProgramBuilder(mesh, input.ops);
  kind.microBatches.forEach((microBatch, m) => {
    builder.startMicroBatch(m);
    const slices = chunkRows(input.config, microBatch.rows).filter(([, count]) => count > 0);
    // One device: DataParallel calls the module itself. The other devices, if any, stay empty.
    const parameters =
      slices.length === 1 ? emitWholeBatch(builder, input, kind, m) : emitReplicas(builder, input, microBatch, slices);
    if (stepsAfter(kind, m)) emitOptimizer(builder.lane(0), input, parameters);
  });
  return builder.finish('dataParallel', kind);
}

/** Emits forward and backward of a batch in several slices. Returns the parameters of device 0 that got a gradient. */
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
  const move: ReplicaMove = { builder, replicas };

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

/** Gather.apply (concatenate on device 0), then the loss on device 0. Returns the graph of the loss. */
function gatherAndLoss({ builder, replicas }: ReplicaMove, input: ModeInput, rows: number): Graph {
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
    regions: new Map(),
    lossGradient: 1 / input.config.accumulate,
  });

  gather({ builder, replicas }, OUTPUT);
  emitLoad(root, { buffer: 'y', source: 'targets', start: 0, count: rows });
  return finished;
}
