/** The part of the mode that is loaded when a run needs it. Only mode.ts imports this file. */
import { at, must } from '../../base/invariant';
import { GraphBuilder, type GraphNode } from '../../graph/graph';
import { buildLoss } from '../../nn/losses';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { type MicroBatchKind, stepsAfter, type TrainingKind } from '../../protocol/step-kind';
import { declareValues, emitAccumulate, emitLoad, emitMasks, emitNode } from '../emit';
import type { HalfValues } from '../emit-halves';
import { emitOptimizer, GRAD_SCALER } from '../emit-optimizer';
import { type ModeFacets, ONE_PROCESS } from '../facets/mode-facets';
import type { RowSlice } from '../facets/mode-placement';
import type { ModeInput } from '../mode-input';
import { meshOfOneProcess, modelOnFirst } from '../one-process';
import { forwardPrecision, halvesOf, nodesOf, type ParameterRef, stageGraph } from '../stage-graph';
import { emitWholeBatch } from '../step/step';
import { chunkRows } from './chunk-rows';
import { dataParallelForm } from './closed-form';
import { gather, type ReplicaMove, reduceAddCoalesced, replicate, scatter } from './moves';
import { gatherHalves, scatterHalves } from './moves-in-half';
import { chunkNotices } from './notices';

const OUTPUT = 'output';
const OUTPUT_GRADIENT = 'output.grad';

export const facets: ModeFacets = {
  ...ONE_PROCESS,
  place: { ...modelOnFirst, rowsOfDevice: chunkRows },
  compiler: { compile },
  facts: { closedForm: dataParallelForm },
  checks: { notices: chunkNotices },
};

function compile(input: ModeInput, kind: TrainingKind): Program {
  const builder = new ProgramBuilder(meshOfOneProcess(input.config), input.ops);
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
  const halves = replicas.map(({ lane }) => halvesOf(input.config, lane));

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
    for (const [d, { lane, stage }] of replicas.entries())
      emitNode(lane, stage, must(nodesOf(stage, 'forward')[node], 'node'), 'parallel_apply', halves[d]);
  }
  const { isHalf } = emitLoss(move, input, rows, halves[0]);
  const toReplicas = isHalf ? scatterHalves : scatter;
  toReplicas(move, OUTPUT_GRADIENT, (r) => r.stage.outputGradient, 'gradient', {
    phase: 'backward',
    anchor: 'backward',
  });
  for (const node of nodesOf(at(replicas, 0).stage, 'backward').keys()) {
    for (const [d, { lane, stage }] of replicas.entries()) {
      const graph = { graph: stage.graph, parameters: [] };
      emitNode(lane, graph, must(nodesOf(stage, 'backward')[node], 'node'), undefined, halves[d]);
    }
  }
  reduceAddCoalesced(move);
  const { parameters } = at(replicas, 0).stage;
  emitAccumulate(root, parameters, { phase: 'reduce', anchor: 'backward' });
  return parameters;
}

/**
 * Gather.apply (concatenate on device 0), then the loss on device 0 and the gradient of the outputs. Returns whether
 * the outputs and their gradient are in half precision.
 */
function emitLoss(
  { builder, replicas }: ReplicaMove,
  input: ModeInput,
  rows: number,
  halves: HalfValues | undefined,
): { readonly isHalf: boolean } {
  const root = builder.lane(0);
  const { config } = input;
  const { graph: replica, output: replicaOutput } = at(replicas, 0).stage;
  const { type, half } = must(
    replica.values.find(({ name }) => name === replicaOutput),
    replicaOutput,
  );
  const shape = [rows, ...type.shape.slice(1)];

  const building = new GraphBuilder(input.ops, forwardPrecision(config));
  const output = building.value(OUTPUT, { shape, dtype: 'f32' }, 'activation', half);
  const target = building.value('y', { shape: [rows, ...input.targetShape], dtype: input.targetType }, 'target');
  const loss = buildLoss(building, config.loss, output, target);
  building.backward(new Map([[loss, building.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed')]]), [output]);
  const graph = building.finish();
  const lossGradient = 1 / config.accumulate;
  declareValues(root, {
    graph,
    input: OUTPUT,
    output: OUTPUT,
    outputGradient: OUTPUT_GRADIENT,
    inputGradient: undefined,
    parameters: [],
    registered: [],
    masks: [],
    regions: new Map(),
    lossGradient,
  });

  const fromReplicas = half ? gatherHalves : gather;
  fromReplicas({ builder, replicas }, OUTPUT);
  emitLoad(root, { buffer: 'y', source: 'targets', start: 0, count: rows });
  const emit = (nodes: readonly GraphNode[]) => {
    for (const node of nodes) emitNode(root, { graph, parameters: [] }, node, undefined, halves);
  };
  emit(graph.nodes.filter(({ phase }) => phase !== 'backward'));
  if (config.gradScaler.enabled) GRAD_SCALER.get().emitScaledSeed(root, config, lossGradient);
  emit(graph.nodes.filter(({ phase }) => phase === 'backward'));
  return { isHalf: half !== undefined };
}
