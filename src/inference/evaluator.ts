/**
 * Runs the model forward in evaluation mode (running statistics, no dropout) on given weights, on the CPU kernels:
 * losses, the decision field, every view of results. It uses the snapshot's weights, so it costs the training devices
 * nothing but the read-back. Keeps its buffers from run to run.
 */
import { at, must } from '../base/invariant';
import { CpuScratch } from '../graph/cpu-scratch';
import { type Graph, GraphBuilder, type GraphNode } from '../graph/graph';
import type { CpuArgs, ValueId } from '../graph/op';
import { actionOf, openVectors } from '../graph/vectors/vector-op';
import { buildLoss } from '../nn/losses';
import { buildForward } from '../nn/model';
import type { ModeInput } from '../parallel/mode-input';
import { VECTORS } from '../parallel/vector-ops';
import { allocate, elements, type HostArray } from '../tensor/shape';
import { roughCostNs } from './rough-cost';

/** Shorter runs do not need WebAssembly kernels and their separate memory. */
const WORTH_VECTORS_NS = 200_000;

/** Parameters and buffers by name. Never modified, so an evaluator copies each state's values once. */
export type ModelState = ReadonlyMap<string, Float32Array>;

export interface Evaluation {
  readonly outputs: Float32Array;
  /** The number of outputs per row. */
  readonly outputWidth: number;
  readonly loss: number;
}

export interface Evaluator {
  readonly graph: Graph;
  readonly output: ValueId;
  readonly rows: number;
  /** The rough cost of one run. */
  readonly costNs: number;
  /** `inputs` holds exactly `rows` rows; without targets the loss is NaN. */
  run(state: ModelState, inputs: HostArray, targets?: HostArray): Evaluation;
  /** A value of the graph in the last run; the next run overwrites it. */
  value(name: string): HostArray;
}

export function createEvaluator(
  { config, ops, inputShape, inputType, targetShape, targetType }: ModeInput,
  rows: number,
): Evaluator {
  const builder = new GraphBuilder(ops);
  const x = builder.value('x', { shape: [rows, ...inputShape], dtype: inputType }, 'input');
  const forward = buildForward(builder, config.model.layers, x, { training: false });
  const y = builder.value('y', { shape: [rows, ...targetShape], dtype: targetType }, 'target');
  const loss = buildLoss(builder, config.loss, forward.output, y);
  const graph = builder.finish();
  const held = graph.values.filter(({ role }) => role === 'parameter' || role === 'buffer');
  const costNs = roughCostNs(graph, ops);
  const bytes = graph.values.map(({ type }) => 4 * elements(type.shape));
  const opened = openVectors(costNs >= WORTH_VECTORS_NS ? VECTORS.now() : undefined, bytes);
  const arrays = graph.values.map(({ type: { dtype, shape } }) =>
    opened ? opened.vectors.array(dtype, elements(shape)) : allocate(dtype, elements(shape)),
  );
  const idOf = new Map(graph.values.map(({ name, id }) => [name, id]));
  const scratch = new CpuScratch(opened?.vectors);
  const actions = graph.nodes.map((node: GraphNode) => {
    const op = must(ops.get(node.op), node.op);
    const args: CpuArgs = {
      inputs: node.inputs.map((id) => at(arrays, id)),
      outputs: node.outputs.map((id) => at(arrays, id)),
      inputTypes: node.inputs.map((id) => at(graph.values, id).type),
      outputTypes: node.outputs.map((id) => at(graph.values, id).type),
      attrs: node.attrs,
      scratch,
    };
    return { phase: node.phase, run: actionOf(op, args, opened) };
  });
  let loaded: ModelState | undefined;
  return {
    graph,
    output: forward.output,
    rows,
    costNs,
    run(state, inputs, targets) {
      at(arrays, x).set(inputs);
      if (state !== loaded) for (const { id, name } of held) at(arrays, id).set(must(state.get(name), name));
      loaded = state;
      if (targets) at(arrays, y).set(targets);
      for (const action of actions) if (action.phase === 'forward' || targets) action.run();
      const outputs = Float32Array.from(at(arrays, forward.output));
      return { outputs, outputWidth: outputs.length / rows, loss: targets ? at(at(arrays, loss), 0) : Number.NaN };
    },
    value: (name) => at(arrays, must(idOf.get(name), name)),
  };
}
