/**
 * Fuses ReLU and max pooling with stride equal to the window into 'conv/max-pool2d' with the attribute `activation`,
 * and their gradients into one operator. The maximum of relu(x) is relu of the maximum, and where relu gives 0 the
 * winning element does not matter. So relu runs on a quarter of the elements, neither its result nor its gradient is
 * stored at full size, and the bits stay the same.
 */
import { at } from '../../base/invariant';
import type { Graph, GraphNode } from '../graph';
import type { ValueId } from '../op';
import { fusesRelu } from '../ops/conv/max-pool2d';
import { type GraphPass, replaceNodes, type Uses, usesOf } from './rewrite';

interface Found {
  readonly pool: GraphNode;
  /** Absent if the gradient is not computed. */
  readonly backward: { readonly pool: GraphNode; readonly relu: GraphNode } | undefined;
}

/** The pooling that reads the result of a relu, if nothing else does except the gradients of the two. */
function find(graph: Graph, relu: GraphNode, uses: Uses, keep: ReadonlySet<ValueId>): Found | undefined {
  const value = at(relu.outputs, 0);
  const users = uses.users(value);
  const pool = users.find((node) => node.op === 'conv/max-pool2d');
  if (!pool || users.length > 2 || keep.has(value)) return undefined;
  if (!fusesRelu(at(graph.values, value).type.shape, pool.attrs)) return undefined;
  const gradient = users.find((node) => node !== pool);
  if (!gradient) return { pool, backward: undefined };
  const spread = at(gradient.inputs, 0);
  const poolGradient = uses.producer(spread);
  if (gradient.op !== 'ops/relu-grad' || gradient.inputs[1] !== value) return undefined;
  if (poolGradient?.op !== 'conv/max-pool2d-grad' || poolGradient.inputs[1] !== pool.outputs[1]) return undefined;
  if (uses.users(spread).length !== 1 || keep.has(spread)) return undefined;
  return { pool, backward: { pool: poolGradient, relu: gradient } };
}

export const fusePoolRelu: GraphPass = (graph, keep) => {
  const uses = usesOf(graph);
  const replaced = new Map<GraphNode, GraphNode | undefined>();
  for (const relu of graph.nodes) {
    const found = relu.op === 'ops/relu' ? find(graph, relu, uses, keep) : undefined;
    if (!found) continue;
    const { pool, backward } = found;
    const activation = 'relu';
    replaced.set(relu, undefined);
    replaced.set(pool, { ...pool, inputs: relu.inputs, attrs: { ...pool.attrs, activation } });
    if (!backward) continue;
    replaced.set(backward.pool, {
      ...backward.pool,
      inputs: [...backward.pool.inputs, at(pool.outputs, 0)],
      outputs: backward.relu.outputs,
      attrs: { ...backward.pool.attrs, activation },
    });
    replaced.set(backward.relu, undefined);
  }
  return replaceNodes(graph, replaced);
};
