/** The part of the mode that is loaded when a run needs it. Called by mode.ts and listing.ts. */

import { at, must } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import type { Graph } from '../../graph/graph';
import { buffersOfLayer, parametersOfLayer } from '../../nn/model';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Config } from '../../protocol/config';
import { LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import { type MicroBatchKind, stepsAfter, type TrainingKind } from '../../protocol/step-kind';
import { ownedBy, type ShardMap, shardMap, type TensorSpec } from '../../sharding/shard-map';
import { declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import { arrivingBuffer, HalfValues, leavingBuffer, unpackArrived } from '../emit-halves';
import { emitOptimizerOver, GRAD_SCALER } from '../emit-optimizer';
import { type ModeFacets, ONE_PROCESS } from '../facets/mode-facets';
import type { ModeInput } from '../mode-input';
import { meshOfOneProcess } from '../one-process';
import { nodesOf, outputOf, type StageGraph, type StageOptions, type StageOutput, stageGraph } from '../stage-graph';
import { modelParallelForm } from './closed-form';

/**
 * [start, end) of the layers on each device: the user's split, or an even spread of the layers with weights, each with
 * the layers without weights that follow it.
 */
function layerRanges(config: Config): readonly { readonly start: number; readonly end: number }[] {
  const { layers } = config.model;
  const sizes = config.modelParallel.split ?? evenSplit(config);
  const sum = sizes.reduce((a, b) => a + b, 0);
  if (sizes.length !== config.worldSize || sum !== layers.length) {
    throw refusedSettings({
      code: 'placement',
      settings: { 'modelParallel.split': sizes, worldSize: config.worldSize },
      why: `the split places ${sum} layers on ${sizes.length} devices, but there are ${layers.length} layers and ${config.worldSize} devices`,
      hint: 'Give one number per device; their sum must be the number of layers.',
    });
  }
  let start = 0;
  return sizes.map((n) => {
    start += n;
    return { start: start - n, end: start };
  });
}

/** Number of layers on each device: layers with weights in groups as equal as possible, the first groups larger. */
function evenSplit({ model, worldSize }: Config): readonly number[] {
  const weighted = model.layers.flatMap((layer, i) => (LAYERS_WITH_WEIGHTS.has(layer.type) ? [i] : []));
  const what = weighted.every((i) => model.layers[i]?.type === 'Linear') ? 'Linear layers' : 'layers with weights';
  if (worldSize > weighted.length) {
    throw refusedSettings({
      code: 'placement',
      settings: { worldSize },
      why: `model parallel cannot place ${weighted.length} ${what} on ${worldSize} devices: every device needs at least one layer with weights`,
      hint: `Use at most ${weighted.length} devices, or add layers.`,
      details: { layers: weighted.length },
    });
  }
  const base = Math.floor(weighted.length / worldSize);
  const starts: number[] = [];
  let next = 0;
  for (let d = 0; d < worldSize; d++) {
    starts.push(d === 0 ? 0 : at(weighted, next));
    next += base + (d < weighted.length % worldSize ? 1 : 0);
  }
  return starts.map((s, d) => (starts[d + 1] ?? model.layers.length) - s);
}

/** Places each tensor on the device of its layer. A tensor of no layer belongs to the loss, on the last device. */
function shards(config: Config, tensors: readonly TensorSpec[]): ShardMap {
  const ranges = layerRanges(config);
  const deviceOf = new Map<string, number>();
  ranges.forEach(({ start, end }, device) => {
    for (let i = start; i < end; i++) {
      const layer = at(config.model.layers, i);
      for (const { name } of [...parametersOfLayer(layer, i), ...buffersOfLayer(layer, i)]) deviceOf.set(name, device);
    }
  });
  return shardMap(tensors, ({ name, shape }) => ownedBy(shape, deviceOf.get(name) ?? ranges.length - 1));
}

/** The graph of each device: the layers of its range, with the loss at the end. */
function stagesOf(
  input: ModeInput,
  { rows, gradients }: Pick<StageOptions, 'rows' | 'gradients'>,
): readonly StageGraph[] {
  const ranges = layerRanges(input.config);
  let before: StageGraph | undefined;
  return ranges.map((range, d) => {
    const stage = stageGraph(input, {
      rows,
      range,
      ...(before ? outputOf(before) : {}),
      withLoss: d === ranges.length - 1,
      needInputGradient: d > 0,
      ...(gradients === undefined ? {} : { gradients }),
    });
    before = stage;
    return stage;
  });
}

/** Layers (indices into the configuration) that live on each device. */
export const layersOfDevice = (config: Config): readonly (readonly number[])[] =>
  layerRanges(config).map(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));

/** Two rows, because batch norm refuses a single row. */
const borders = (input: ModeInput): readonly StageOutput[] => stagesOf(input, { rows: 2 }).slice(0, -1).map(outputOf);

export const facets: ModeFacets = {
  ...ONE_PROCESS,
  place: {
    layersOfDevice,
    rowsOfDevice: ({ worldSize }, [rows = 0]) => Array.from({ length: worldSize }, () => [0, rows] as const),
    shards,
    borders,
  },
  compiler: { compile },
  facts: { closedForm: modelParallelForm },
};

function compile(input: ModeInput, kind: TrainingKind): Program {
  const builder = new ProgramBuilder(meshOfOneProcess(input.config), input.ops);
  kind.microBatches.forEach((microBatch, m) => {
    builder.startMicroBatch(m);
    const stages = emitPass(builder, input, microBatch);
    if (!stepsAfter(kind, m)) return;
    const parts = stages.map(({ parameters }, d) => ({ lane: builder.lane(d), parameters }));
    emitOptimizerOver(builder, input, parts);
  });
  return builder.finish('modelParallel', kind);
}

const FORWARD: Where = { phase: 'forward', anchor: 'send_activation' };
const BACKWARD: Where = { phase: 'backward', anchor: 'send_gradient' };

/** Forward through all stages, the loss on the last device, backward through all stages. */
function emitPass(
  builder: ProgramBuilder,
  input: ModeInput,
  { rows: [rows = 0], gradients }: MicroBatchKind,
): readonly StageGraph[] {
  const stages = stagesOf(input, { rows, gradients });
  const last = stages.length - 1;
  for (const [d, stage] of stages.entries()) declareValues(builder.lane(d), stage);
  const halves = stages.map((_, d) => new HalfValues(builder.lane(d)));

  emitLoad(builder.lane(0), { buffer: 'x', source: 'inputs', start: 0, count: rows });
  stages.forEach((stage, d) => {
    const lane = builder.lane(d);
    if (d > 0)
      hop(
        builder,
        { lane: builder.lane(d - 1), graph: at(stages, d - 1).graph },
        { lane, graph: stage.graph },
        { buffer: stage.input, payload: 'activation', where: FORWARD },
      );
    emitMasks(lane, stage);
    for (const node of nodesOf(stage, 'forward')) emitNode(lane, stage, node, undefined, at(halves, d));
  });
  const end = builder.lane(last);
  emitLoad(end, { buffer: 'y', source: 'targets', start: 0, count: rows });
  for (const node of nodesOf(at(stages, last), 'loss'))
    emitNode(end, at(stages, last), node, undefined, at(halves, last));
  const { config } = input;
  if (config.gradScaler.enabled) GRAD_SCALER.get().emitScaledSeed(end, config, at(stages, last).lossGradient);
  for (let d = last; d >= 0; d--) {
    const stage = at(stages, d);
    for (const node of nodesOf(stage, 'backward')) emitNode(builder.lane(d), stage, node, undefined, at(halves, d));
    if (d > 0)
      hop(
        builder,
        { lane: builder.lane(d), graph: stage.graph },
        { lane: builder.lane(d - 1), graph: at(stages, d - 1).graph },
        { buffer: must(stage.inputGradient, 'input gradient'), payload: 'gradient', where: BACKWARD },
      );
  }
  return stages;
}

interface HopEnd {
  readonly lane: LaneBuilder;
  readonly graph: Graph;
}

interface Hop {
  readonly buffer: string;
  readonly payload: 'activation' | 'gradient';
  readonly where: Where;
}

/** Moves a whole tensor between the compute queues of two neighbours, which use the same name for it. */
function hop(builder: ProgramBuilder, from: HopEnd, to: HopEnd, { buffer, payload, where }: Hop): void {
  const comm: Where = { ...where, queue: 'comm' };
  const leaving = leavingBuffer(from.lane, from.graph, buffer, where);
  const arriving = arrivingBuffer(to.lane, to.graph, buffer);
  from.lane.handOver('compute', 'comm', comm);
  builder.transfer(
    { device: from.lane.device, slice: from.lane.whole(leaving), where: comm },
    { device: to.lane.device, slice: to.lane.whole(arriving), where: comm },
    { name: buffer, payload },
  );
  to.lane.handOver('comm', 'compute', where);
  unpackArrived(to.lane, to.graph, buffer, where);
}
