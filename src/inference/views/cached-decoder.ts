/**
 * Decoding with a cache of the earlier tokens' keys and values: a further token costs one position of the model instead
 * of the whole context, and gives the same bits as window-decoder.ts. Only for causal models in which every other
 * operator works on each position separately; undefined for other models.
 */
import { at, must } from '../../base/invariant';
import { CpuScratch } from '../../graph/cpu-scratch';
import { type Graph, GraphBuilder, type GraphNode } from '../../graph/graph';
import type { CpuArgs, OpTable } from '../../graph/op';
import { attend } from '../../graph/ops/attention/attention-cpu';
import { packedHeads } from '../../graph/ops/attention/heads';
import { buildForward } from '../../nn/model';
import type { ModeInput } from '../../parallel/mode-input';
import { allocate, elements, type HostArray } from '../../tensor/shape';
import type { ModelState } from '../evaluator';
import { roughCostNs } from '../rough-cost';
import { type Decoder, vocabularyOf } from './decoder';

const SELF_ATTENTION = 'attention/self-attention';
/** The first rows of a position embedding: pos(arange(T)). */
const POSITIONS = 'shape/slice';
const BY_POSITION = new Set([
  'embedding/embedding',
  'norm/layer-norm',
  'ops/add',
  'ops/elu',
  'ops/gelu',
  'ops/leaky-relu',
  'ops/linear',
  'ops/log-softmax',
  'ops/relu',
  'ops/sigmoid',
  'ops/silu',
  'ops/softmax',
  'ops/softplus',
  'ops/tanh',
]);

type Action = (position: number) => void;

export function createCachedDecoder({ config, ops, inputShape }: ModeInput): Decoder | undefined {
  const context = elements(inputShape);
  // pos(arange(1)) of a context of 1 is the whole embedding, and no slice of it.
  if (context === 1) return undefined;
  const builder = new GraphBuilder(ops);
  const x = builder.value('x', { shape: [1, 1], dtype: 'i32' }, 'input');
  const { output } = buildForward(builder, config.model.layers, x, { training: false });
  const graph = builder.finish();
  if (!graph.nodes.every((node) => worksByPosition(graph, node))) return undefined;

  const arrays = graph.values.map(({ type }) => allocate(type.dtype, elements(type.shape)));
  const held = graph.values.filter(({ role }) => role === 'parameter' || role === 'buffer');
  const model = { graph, arrays, context, ops, scratch: new CpuScratch() };
  const actions = graph.nodes.map((node) => action(model, node));
  const [ids, logits] = [at(arrays, x), at(arrays, output)];
  let loaded: ModelState | undefined;
  let kept: readonly number[] = [];
  return {
    context,
    vocabulary: vocabularyOf(graph, output),
    tokenNs: roughCostNs(graph, ops),
    after(state, tokens) {
      if (state !== loaded) {
        for (const { id, name } of held) at(arrays, id).set(must(state.get(name), name));
        loaded = state;
        kept = [];
      }
      let position = 0;
      // The last token is always evaluated, because its logits are needed.
      while (position < tokens.length - 1 && kept[position] === tokens[position]) position++;
      kept = Array.from(tokens);
      for (; position < tokens.length; position++) {
        ids[0] = at(tokens, position);
        for (const run of actions) run(position);
      }
      return logits as Float32Array;
    },
  };
}

function worksByPosition({ values }: Graph, { op, inputs, attrs }: GraphNode): boolean {
  if (op === SELF_ATTENTION) return attrs.causal === true;
  if (op === POSITIONS) return at(values, at(inputs, 0)).role === 'parameter';
  return BY_POSITION.has(op);
}

interface Model {
  readonly graph: Graph;
  readonly arrays: readonly HostArray[];
  readonly context: number;
  readonly ops: OpTable;
  readonly scratch: CpuScratch;
}

function action({ graph, arrays, context, ops, scratch }: Model, node: GraphNode): Action {
  const inputs = node.inputs.map((id) => at(arrays, id));
  const outputs = node.outputs.map((id) => at(arrays, id));
  const [first, result] = [at(inputs, 0), at(outputs, 0)];
  if (node.op === SELF_ATTENTION) {
    const { shape } = at(graph.values, at(node.inputs, 0)).type;
    const packed = packedHeads(shape, node.attrs);
    const earlier = new Float32Array(context * first.length);
    return (position) => {
      earlier.set(first, position * first.length);
      const heads = { ...packed, keys: position + 1, causal: false };
      attend(heads, { q: first, k: earlier, v: earlier, out: result, lse: at(outputs, 1) });
    };
  }
  if (node.op === POSITIONS) {
    const width = result.length;
    return (position) => result.set(first.subarray(position * width, (position + 1) * width));
  }
  const op = must(ops.get(node.op), node.op);
  const types = (list: readonly number[]) => list.map((id) => at(graph.values, id).type);
  const args: CpuArgs = {
    inputs,
    outputs,
    inputTypes: types(node.inputs),
    outputTypes: types(node.outputs),
    attrs: node.attrs,
    scratch,
  };
  return () => op.cpu(args);
}
