/**
 * Code that all modes share: it declares the buffers of a graph on a lane, turns nodes into compute instructions, and
 * emits host loads. Buffers are named like the values of the graph, parameters like PyTorch's state_dict.
 */
import { at, must } from '../base/invariant';
import type { GraphNode, GraphValue } from '../graph/graph';
import type { ValueId } from '../graph/op';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { MemoryCategory } from '../protocol/trace';
import type { TensorRegion } from '../sharding/piece';
import type { HalfFormat } from '../tensor/half-bits';
import type { Shape } from '../tensor/shape';
import type { HalfValues } from './emit-halves';
import { MIXED_PRECISION, type ParameterRef, type StageGraph } from './stage-graph';
import { storedAs } from './stored';

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

/** Of a whole parameter in half precision the halves are 'unsharded'; its float32 copy is there for an operator. */
const categoryOf = ({ role, half }: GraphValue): MemoryCategory =>
  role === 'unsharded' && half ? 'activation' : CATEGORY[role];

/** Declares every value of the graph on the lane. Gradients of parameters persist, as `.grad` does. */
export function declareValues(lane: LaneBuilder, stage: StageGraph): void {
  const ofGradient = new Map(stage.parameters.map((p) => [p.gradient, p.name]));
  const values = new Map(stage.graph.values.map((v) => [v.name, v]));
  /** A gradient has the type of its parameter. */
  const typeOf = (parameter: string): HalfFormat | undefined => values.get(parameter)?.half;
  for (const value of stage.graph.values) {
    const region = stage.regions.get(value.name);
    const base = {
      name: value.name,
      shape: value.type.shape,
      dtype: value.type.dtype,
      ...(region ? { region } : {}),
      ...(value.half ? { asHalf: value.half } : {}),
    };
    const parameter = ofGradient.get(value.name);
    if (value.role === 'parameter' || value.role === 'buffer') declareKept(lane, value, region);
    else if (parameter !== undefined && value.role !== 'unshardedGradient')
      declareGradient(lane, value.name, base.shape, typeOf(parameter));
    else if (value.role === 'seed')
      lane.buffer({ ...base, category: 'activation', persistent: true, fill: stage.lossGradient });
    // A loss belongs to one micro-batch, but stays until it is read after the step.
    else
      lane.buffer(
        { ...base, category: categoryOf(value), persistent: value.name === 'loss' },
        { shared: stage.ofBatch?.has(value.name) === true },
      );
  }
  for (const { name, gradient, fresh } of stage.parameters)
    if (!values.has(gradient)) declareGradient(lane, gradient, must(values.get(fresh), name).type.shape, typeOf(name));
  if (stage.graph.values.some(({ role }) => role === 'loss')) lane.lossIn('loss');
}

/** Declares only parameters and buffers, for a rank without a batch. */
export function declareState(lane: LaneBuilder, { graph }: Pick<StageGraph, 'graph'>): void {
  for (const value of graph.values) if (value.role === 'parameter' || value.role === 'buffer') declareKept(lane, value);
}

function declareKept(lane: LaneBuilder, { name, type, role, half }: GraphValue, region?: TensorRegion): void {
  const base = { name, ...storedAs(type, half), persistent: true, ...(region ? { region } : {}) };
  if (role === 'parameter') lane.buffer({ ...base, category: 'parameter', pool: 'parameters' });
  else lane.buffer({ ...base, category: 'buffer' });
}

function declareGradient(lane: LaneBuilder, name: string, shape: Shape, half: HalfFormat | undefined): void {
  const stored = storedAs({ shape, dtype: 'f32' }, half);
  lane.buffer({ name, ...stored, category: 'gradient', persistent: true, pool: 'gradients' });
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
  const where = { phase: node.phase, anchor, module: node.module };
  halves?.before(stage.graph, node, where);
  const name = (id: ValueId): string => {
    const value = at(stage.graph.values, id);
    return halves?.computedIn(value) ?? value.name;
  };
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
  const fresh = added.map((p) => p.fresh);
  const sums = added.map((p) => p.gradient);
  const add = (total: readonly string[]) =>
    lane.compute('optim/accumulate-grad', [...fresh, ...total], total, { count: total.length }, where);
  if (sums.some((name) => lane.spec(name).halves)) {
    MIXED_PRECISION.get().inFloat32(lane, sums, where, add);
    return;
  }
  add(sums);
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
