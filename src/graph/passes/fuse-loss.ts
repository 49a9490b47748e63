/**
 * Fuses an elementwise loss of a small batch and its gradient into one operator, which saves a dispatch: the gradient
 * does not depend on the loss.
 */
import { at } from '../../base/invariant';
import { elements } from '../../tensor/shape';
import type { GraphNode } from '../graph';
import { FUSED_LOSSES, MOST_ELEMENTS } from '../ops/fused/loss-with-gradient';
import { type GraphPass, replaceNodes } from './rewrite';

export const fuseLoss: GraphPass = (graph) => {
  const replaced = new Map<GraphNode, GraphNode | undefined>();
  for (const loss of graph.nodes) {
    if (!FUSED_LOSSES.has(loss.op) || loss.inputs.length !== 2 || loss.attrs.reduction === 'none') continue;
    const [x, target] = [at(loss.inputs, 0), at(loss.inputs, 1)];
    if (elements(at(graph.values, x).type.shape) > MOST_ELEMENTS) continue;
    const gradient = graph.nodes.find(
      (node) => node.op === `${loss.op}-grad` && node.inputs[0] === x && node.inputs[1] === target,
    );
    if (!gradient || gradient.attrs.operand !== undefined) continue;
    replaced.set(loss, {
      ...loss,
      op: 'fused/element-loss',
      inputs: gradient.inputs,
      outputs: [at(loss.outputs, 0), at(gradient.outputs, 0)],
      attrs: { ...loss.attrs, loss: loss.op },
    });
    replaced.set(gradient, undefined);
  }
  return replaceNodes(graph, replaced);
};
