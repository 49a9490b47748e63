/**
 * Fuses batch norm and ReLU into 'norm/batch-norm' with the attribute `activation`. Relu's gradient needs only its
 * result and the norm's gradient only its input, so the value in between is never stored. Runs after fuse-norm-pool,
 * which handles a relu before a pooling.
 */
import { at } from '../../base/invariant';
import type { GraphNode } from '../graph';
import { type GraphPass, replaceNodes, usesOf } from './rewrite';

export const fuseNormRelu: GraphPass = (graph, keep) => {
  const uses = usesOf(graph);
  const replaced = new Map<GraphNode, GraphNode | undefined>();
  for (const relu of graph.nodes) {
    if (relu.op !== 'ops/relu') continue;
    const value = at(relu.inputs, 0);
    const norm = uses.producer(value);
    if (norm?.op !== 'norm/batch-norm' || norm.phase !== relu.phase) continue;
    if (keep.has(value) || uses.users(value).length !== 1) continue;
    replaced.set(relu, undefined);
    replaced.set(norm, { ...norm, attrs: { ...norm.attrs, activation: 'relu' }, outputs: relu.outputs });
  }
  return replaceNodes(graph, replaced);
};
