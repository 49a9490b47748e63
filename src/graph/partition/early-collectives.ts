/**
 * Orders a rank's backward pass so that messages overlap with computation: a layer's nodes that its collective does not
 * need, mostly the gradient of its weight, run after the collective. So the all-reduce of a column-parallel layer's
 * input gradient runs while the gradient of its weight is computed, as in Megatron-LM
 * (LinearWithGradAccumulationAndAsyncCommunication). No value changes. Called by parallel/stage-graph.
 */
import type { Graph, GraphNode } from '../graph';
import { isCollective } from '../ops/collective';

export function earlyCollectives(graph: Graph): Graph {
  const nodes: GraphNode[] = [];
  for (const node of graph.nodes) {
    const sends = node.phase === 'backward' && node.attrs.axis !== undefined && isCollective(node);
    const later = sends ? takeUnneeded(nodes, node) : [];
    nodes.push(node, ...later);
  }
  return { ...graph, nodes };
}

/** Takes out the last nodes of the collective's own layer that its input does not depend on. */
function takeUnneeded(nodes: GraphNode[], { inputs, module }: GraphNode): readonly GraphNode[] {
  const needed = new Set(inputs);
  const [kept, unneeded]: [GraphNode[], GraphNode[]] = [[], []];
  for (let node = nodes.at(-1); node?.phase === 'backward' && node.module === module; node = nodes.at(-1)) {
    nodes.pop();
    const isNeeded = isCollective(node) || node.outputs.some((output) => needed.has(output));
    if (isNeeded) for (const input of node.inputs) needed.add(input);
    (isNeeded ? kept : unneeded).unshift(node);
  }
  nodes.push(...kept);
  return unneeded;
}
