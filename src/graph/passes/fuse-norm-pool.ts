/**
 * Fuses batch norm and max pooling with stride equal to the window (an earlier pass has merged a relu between them into
 * the pooling) into 'norm/batch-norm-pool'. Only the pooling reads the norm's output, which is the largest activation
 * of a convolutional net, so it is never stored.
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
