/**
 * Code that all modes share: it declares the buffers of a graph on a lane, turns nodes into compute instructions, and
 * emits host loads. Buffers are named like the values of the graph, parameters like PyTorch's state_dict.
 */
import { at, must } from '../base/invariant';
import type { GraphNode, GraphValue } from '../graph/graph';
import type { ValueId } from '../graph/op';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { MemoryCategory } from '../protocol/trace';
import type { Shape } from '../tensor/shape';
import type { HalfValues } from './emit-halves';
import type { ParameterRef, StageGraph } from './stage-graph';

const CATEGORY: Readonly<Record<GraphValue['role'], MemoryCategory>> = {
  input: 'data',
  target: 'data',
  parameter: 'parameter',
  buffer: 'buffer',
  mask: 'data',
  activation: 'activation',
  gradient: 'activation',
  loss: 'activation',
  seed: 'activation',
  unsharded: 'unsharded',
  unshardedGradient: 'gradient',
};

/** Declares every value of the graph on the lane. Gradients of parameters persist, as `.grad` does. */
export function declareValues(lane: LaneBuilder, stage: StageGraph): void {
  const parameterGradients = new Set(stage.parameters.map((p) => p.gradient));
  const shapes = new Map(stage.graph.values.map((v) => [v.name, v.type.shape]));
  for (const value of stage.graph.values) {
    const region = stage.regions.get(value.name);
    const base = {
      name: value.name,
      shape: value.type.shape,
      dtype: value.type.dtype,
      ...(region ? { region } : {}),
      ...(value.half ? { asHalf: value.half } : {}),
    };
    if (value.role === 'parameter')
      lane.buffer({ ...base, category: 'parameter', persistent: true, pool: 'parameters' });
    else if (value.role === 'buffer') lane.buffer({ ...base, category: 'buffer', persistent: true });
    else if (parameterGradients.has(value.name) && value.role !== 'unshardedGradient')
      declareGradient(lane, value.name, base.shape);
    else if (value.role === 'seed')
      lane.buffer({ ...base, category: 'activation', persistent: true, fill: stage.lossGradient });
    // A loss belongs to one micro-batch, but stays until it is read after the step.
    else
      lane.buffer(
        { ...base, category: CATEGORY[value.role], persistent: value.name === 'loss' },
        { shared: stage.ofBatch?.has(value.name) === true },
      );
  }
  for (const { name, gradient, fresh } of stage.parameters)
    if (!shapes.has(gradient)) declareGradient(lane, gradient, must(shapes.get(fresh), name));
  if (stage.graph.values.some(({ role }) => role === 'loss')) lane.lossIn('loss');
}

/** Declares only parameters and buffers, for a rank without a batch. */
export function declareState(lane: LaneBuilder, { graph }: Pick<StageGraph, 'graph'>): void {
  for (const { name, type, role, half } of graph.values) {
    const base = { name, ...type, persistent: true, ...(half ? { asHalf: half } : {}) };
    if (role === 'parameter') lane.buffer({ ...base, category: 'parameter', pool: 'parameters' });
    else if (role === 'buffer') lane.buffer({ ...base, category: 'buffer' });
  }
}

function declareGradient(lane: LaneBuilder, name: string, shape: Shape): void {
  lane.buffer({ name, shape, dtype: 'f32', category: 'gradient', persistent: true, pool: 'gradients' });
}

const ANCHOR: Readonly<Record<GraphNode['phase'], string>> = { forward: 'forward', loss: 'loss', backward: 'backward' };

type NodeStage = Pick<StageGraph, 'graph' | 'parameters'>;

/** Emits the node as an instruction, and adds the parameter gradients that it completes to the accumulated ones. */
export function emitNode(
  lane: LaneBuilder,
  stage: NodeStage,
  node: GraphNode,
  anchor: string = ANCHOR[node.phase],
  halves?: HalfValues | undefined,
): void {
  const name = (id: ValueId): string => at(stage.graph.values, id).name;
  const where = { phase: node.phase, anchor, module: node.module };
  halves?.before(stage.graph, node, where);
  lane.compute(node.op, node.inputs.map(name), node.outputs.map(name), node.attrs, where);
  halves?.after(stage.graph, node, where);
  emitCompleted(lane, stage, node, anchor);
}

/** Adds the parameter gradients that the node has completed to the accumulated ones. */
export function emitCompleted(
  lane: LaneBuilder,
  { graph, parameters }: NodeStage,
  node: GraphNode,
  anchor: string = ANCHOR[node.phase],
): void {
  const where = { phase: node.phase, anchor, module: node.module };
  const outputs = node.outputs.map((id) => at(graph.values, id).name);
  emitAccumulate(
    lane,
    parameters.filter((p) => outputs.includes(p.fresh)),
    where,
  );
}

/** `.grad += fresh` for the parameters that have separate buffers for the two. */
export function emitAccumulate(lane: LaneBuilder, parameters: readonly ParameterRef[], where: Where): void {
  const added = parameters.filter((p) => p.fresh !== p.gradient);
  if (added.length === 0) return;
  const total = added.map((p) => p.gradient);
  lane.compute(
    'optim/accumulate-grad',
    [...added.map((p) => p.fresh), ...total],
    total,
    { count: added.length },
    where,
  );
  for (const { gradient, half } of added)
    if (half) lane.compute('precision/round', [gradient], [gradient], { format: half }, where);
}

/** Loads the dropout masks, which the host draws with the lane's batch. */
export function emitMasks(lane: LaneBuilder, { masks }: Pick<StageGraph, 'masks'>): void {
  for (const { name, ...mask } of masks)
    lane.load({ buffer: name, source: 'mask', start: 0, count: 0, ...mask }, { phase: 'data', anchor: 'forward' });
}

interface BatchPart {
  readonly buffer: string;
  readonly source: 'inputs' | 'targets';
  readonly start: number;
  readonly count: number;
}

/** Loads the lane's rows of the batch. */
export function emitLoad(lane: LaneBuilder, part: BatchPart): void {
  lane.load(part, { phase: 'data', anchor: 'to_device' });
}
