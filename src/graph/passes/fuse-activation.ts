/**
 * Fuses a Linear and an activation whose gradient needs only the result into 'ops/linear' with the attribute
 * `activation`. This saves a dispatch and the activation's trip through memory. The value before the activation
 * disappears, so a layer whose output has other readers is not fused.
 */
import { at } from '../../base/invariant';
import type { GraphNode } from '../graph';
import { FUSED_ACTIVATIONS } from '../ops/linear/fused-activation';
import { type GraphPass, replaceNodes, usesOf } from './rewrite';

export const fuseActivation: GraphPass = (graph, keep) => {
  const uses = usesOf(graph);
  const replaced = new Map<GraphNode, GraphNode | undefined>();
  for (const activation of graph.nodes) {
    const name = FUSED_ACTIVATIONS.find((a) => activation.op === `ops/${a}`);
    if (name === undefined) continue;
    const input = at(activation.inputs, 0);
    const linear = uses.producer(input);
    if (linear?.op !== 'ops/linear' || linear.attrs.activation !== undefined || keep.has(input)) continue;
    if (uses.users(input).length !== 1) continue;
    replaced.set(linear, {
      ...linear,
      attrs: { ...linear.attrs, activation: name },
      outputs: activation.outputs,
    });
    replaced.set(activation, undefined);
  }
  return replaceNodes(graph, replaced);
};
