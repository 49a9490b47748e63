/**
 * What all strategies share: declaring the buffers of a graph on a lane, turning its nodes into compute instructions, the host loads and
 * the optimiser. Buffers are named like the values of the graph, parameters like PyTorch's state_dict.
 */
import { at, must } from '../base/invariant';
import type { Graph, GraphNode, GraphValue } from '../graph/graph';
import { GraphBuilder } from '../graph/graph';
import type { ValueId } from '../graph/op';
import { buildForward, buildLoss } from '../nn/model';
import { optimizerOp, optimizerState } from '../optim/optimizer';
import { SCALARS_LENGTH } from '../optim/scalars';
import type { LaneBuilder } from '../program/builder';
import type { MemoryCategory, Phase, Rank } from '../protocol/trace';
import type { StrategyInput } from './strategy';

export interface ParameterRef {
  readonly name: string;
  /** Buffer of its gradient. */
  readonly gradient: string;
}

/** Forward and backward of some layers, and of the loss when `loss` is asked for. */
export interface StageGraph {
  readonly graph: Graph;
  readonly input: string;
  readonly output: string;
  /** Gradient with respect to the output: made by the loss, or received. */
  readonly outputGradient: string;
  /** Gradient with respect to the input, when asked for. */
  readonly inputGradient: string | undefined;
  readonly parameters: readonly ParameterRef[];
}

export interface StageOptions {
  readonly rows: number;
  readonly range?: { readonly start: number; readonly end: number };
  /** Name and row shape of the input; default the model's. */
  readonly inputName?: string;
  readonly inputShape?: readonly number[];
  readonly withLoss: boolean;
  readonly needInputGradient?: boolean;
}

export function stageGraph(input: StrategyInput, options: StageOptions): StageGraph {
  const { config, ops } = input;
  const builder = new GraphBuilder(ops);
  const x = builder.value(
    options.inputName ?? 'x',
    { shape: [options.rows, ...(options.inputShape ?? input.inputShape)], dtype: 'f32' },
    'input',
  );
  const forward = buildForward(builder, config.model.layers, x, options.range);
  const outputType = builder.typeOf(forward.output);
  const wrt: ValueId[] = [...forward.parameters.map((p) => p.value), ...(options.needInputGradient ? [x] : [])];
  const nameOf = (id: ValueId): string => must(builder.finish().values[id], 'value').name;
  let gradients: ReadonlyMap<ValueId, ValueId>;
  let outputGradient = `${nameOf(forward.output)}.grad`;
  if (options.withLoss) {
    const y = builder.value('y', { shape: [options.rows, ...input.targetShape], dtype: input.targetType }, 'target');
    const loss = buildLoss(builder, config.loss, forward.output, y);
    const seed = builder.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed');
    gradients = builder.backward(new Map([[loss, seed]]), wrt);
  } else {
    const received = builder.value(outputGradient, outputType, 'gradient');
    outputGradient = nameOf(received);
    gradients = builder.backward(new Map([[forward.output, received]]), wrt);
  }
  const inputGradient = gradients.get(x);
  return {
    graph: builder.finish(),
    input: nameOf(x),
    output: nameOf(forward.output),
    outputGradient,
    inputGradient: inputGradient === undefined ? undefined : nameOf(inputGradient),
    parameters: forward.parameters.map((p) => ({
      name: p.name,
      gradient: nameOf(must(gradients.get(p.value), `gradient of ${p.name}`)),
    })),
  };
}

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
};

/** Declares every value of the graph on the lane. Gradients of parameters persist, as `.grad` does. */
export function declareValues(lane: LaneBuilder, stage: StageGraph): void {
  const parameterGradients = new Set(stage.parameters.map((p) => p.gradient));
  for (const value of stage.graph.values) {
    const base = { name: value.name, shape: value.type.shape, dtype: value.type.dtype };
    if (value.role === 'parameter')
      lane.buffer({ ...base, category: 'parameter', persistent: true, pool: 'parameters' });
    else if (parameterGradients.has(value.name))
      lane.buffer({ ...base, category: 'gradient', persistent: true, pool: 'gradients' });
    else if (value.role === 'seed') lane.buffer({ ...base, category: 'activation', persistent: true, fill: 1 });
    else lane.buffer({ ...base, category: CATEGORY[value.role], persistent: value.name === 'loss' });
  }
  if (lane.has('loss')) lane.lossIn('loss');
}

const ANCHOR: Readonly<Record<GraphNode['phase'], string>> = { forward: 'forward', loss: 'loss', backward: 'backward' };

export function emitNode(lane: LaneBuilder, graph: Graph, node: GraphNode, anchor: string = ANCHOR[node.phase]): void {
  const name = (id: ValueId): string => at(graph.values, id).name;
  lane.compute(node.op, node.inputs.map(name), node.outputs.map(name), node.attrs, {
    phase: node.phase,
    anchor,
    module: node.module,
  });
}

export const nodesOf = (stage: StageGraph, phase: GraphNode['phase']): readonly GraphNode[] =>
  stage.graph.nodes.filter((n) => n.phase === phase);

/** The lane's rows of its process's batch. */
export function emitLoad(
  lane: LaneBuilder,
  buffer: string,
  source: 'inputs' | 'targets',
  process: Rank,
  start: number,
  count: number,
): void {
  lane.load({ buffer, source, process, start, count }, { phase: 'data', anchor: 'to_device' });
}

/** optimizer.step() over the given parameters of the lane; its per-step scalars come from the host. */
export function emitOptimizer(lane: LaneBuilder, input: StrategyInput, parameters: readonly ParameterRef[]): void {
  if (parameters.length === 0) return;
  const where = { phase: 'step' as Phase, anchor: 'step' };
  lane.buffer({ name: 'scalars', shape: [SCALARS_LENGTH], dtype: 'f32', category: 'optimizer', persistent: true });
  lane.load({ buffer: 'scalars', source: 'scalars', process: lane.rank, start: 0, count: 0 }, where);
  const names = parameters.map((p) => p.name);
  const states = optimizerState(input.config.optimizer).map((state) =>
    names.map((name) => {
      const buffer = `${name}.${state}`;
      const { shape, dtype } = lane.spec(name);
      lane.buffer({ name: buffer, shape, dtype, category: 'optimizer', persistent: true, pool: `optimizer.${state}` });
      return buffer;
    }),
  );
  const { op, attrs } = optimizerOp(input.config.optimizer);
  const gradients = parameters.map((p) => p.gradient);
  lane.compute(
    op,
    ['scalars', ...names, ...gradients, ...states.flat()],
    [...names, ...states.flat()],
    { ...attrs, count: names.length },
    where,
  );
}
