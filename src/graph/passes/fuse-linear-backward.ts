/**
 * Fuses the backward pass of a small linear layer into one operator: the activation's gradient, dW, db and dx. In small
 * layers a dispatch costs more than its work, and this pass saves three of four. Larger layers keep their tiled
 * products.
 */
import { at } from '../../base/invariant';
import type { GraphNode } from '../graph';
import { smallEnough } from '../ops/fused/linear-backward';
import { FUSED_ACTIVATIONS } from '../ops/linear/fused-activation';
import { type GraphPass, replaceNodes, usesOf } from './rewrite';

export const fuseLinearBackward: GraphPass = (graph, keep) => {
  const uses = usesOf(graph);
  const replaced = new Map<GraphNode, GraphNode | undefined>();
  const typeOf = (id: number) => at(graph.values, id).type;
  for (const params of graph.nodes) {
    if (params.op !== 'ops/linear-grad-params' || params.attrs.bias !== true) continue;
    const [x, dy] = [at(params.inputs, 0), at(params.inputs, 1)];
    const weightGradient = typeOf(at(params.outputs, 0));
    if (!smallEnough(typeOf(x), weightGradient)) continue;
    const others = uses.users(dy).filter((node) => node !== params);
    const input = others.find((node) => node.op === 'ops/linear-grad-input' && node.inputs[0] === dy);
    if (others.length > 1 || (others.length === 1 && input === undefined)) continue;
    const before = uses.producer(dy);
    const name = FUSED_ACTIVATIONS.find((a) => before?.op === `ops/${a}-grad`);
    const activation = name !== undefined && before && !keep.has(dy) ? before : undefined;
    const [upstream, y] = activation ? activation.inputs : [dy, dy];
    replaced.set(params, {
      ...params,
      op: input ? 'fused/linear-backward' : 'fused/linear-backward-params',
      inputs: [at([upstream ?? dy], 0), at([y ?? dy], 0), x, ...(input ? [at(input.inputs, 1)] : [])],
      outputs: [...params.outputs, ...(input?.outputs ?? [])],
      attrs: { activation: activation ? (name ?? 'none') : 'none' },
    });
    if (input) replaced.set(input, undefined);
    if (activation) replaced.set(activation, undefined);
  }
  return replaceNodes(graph, replaced);
};
