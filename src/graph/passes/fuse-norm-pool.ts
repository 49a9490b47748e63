/**
 * Batch norm, then max pooling with windows that touch (relu between them has joined the pooling before): one operator,
 * 'norm/batch-norm-pool'. What the norm makes is read by the pooling alone, so it is never stored: the largest
 * activation of a convolutional net, written and read once less.
 */
import { at } from '../../base/invariant';
import type { GraphNode } from '../graph';
import { fusesRelu } from '../ops/conv/max-pool2d';
import { type GraphPass, replaceNodes, usesOf } from './rewrite';

export const fuseNormPool: GraphPass = (graph, keep) => {
  const uses = usesOf(graph);
  const replaced = new Map<GraphNode, GraphNode | undefined>();
  for (const pool of graph.nodes) {
    if (pool.op !== 'conv/max-pool2d') continue;
    const value = at(pool.inputs, 0);
    const norm = uses.producer(value);
    if (norm?.op !== 'norm/batch-norm' || norm.inputs.length !== 5 || norm.phase !== pool.phase) continue;
    if (keep.has(value) || uses.users(value).length !== 1) continue;
    if (!fusesRelu(at(graph.values, value).type.shape, pool.attrs)) continue;
    replaced.set(norm, undefined);
    replaced.set(pool, { ...pool, op: 'norm/batch-norm-pool', inputs: norm.inputs });
  }
  return replaceNodes(graph, replaced);
};
