/**
 * Batch norm, then ReLU: one operator, 'norm/batch-norm' with the attribute `activation`. Relu's gradient asks for its
 * result alone and the norm's for its input, so what lies between is never stored. Runs after fuse-norm-pool, which
 * takes relu in where a pooling follows.
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
