/**
 * The backward pass of a stage in two halves, as zero-bubble schedules need it: I makes the gradient of the stage's
 * input, for which the rank before waits; W makes the gradients of the parameters, for which nobody does. An operator
 * that makes both at once belongs to I. As in torch, the first stage has nobody before it: its I does nothing, and W
 * is the whole backward. Called by pipeline/compile.ts.
 */
import { must } from '../../base/invariant';
import type { GraphNode } from '../../graph/graph';
import type { Computation } from '../../protocol/pipeline';
import { nodesOf, type StageGraph } from '../stage-graph';

export function nodesOfAction(stage: StageGraph, kind: Computation): readonly GraphNode[] {
  const backward = nodesOf(stage, 'backward');
  if (kind === 'B') return backward;
  if (stage.inputGradient === undefined) return kind === 'W' ? backward : [];
  const forInput = leadingTo(stage, stage.inputGradient, backward);
  return backward.filter((node) => forInput.has(node) === (kind === 'I'));
}

/** The nodes of the list that the value depends on. */
function leadingTo({ graph }: StageGraph, name: string, nodes: readonly GraphNode[]): ReadonlySet<GraphNode> {
  const wanted = new Set([
    must(
      graph.values.find((value) => value.name === name),
      name,
    ).id,
  ]);
  const found = new Set<GraphNode>();
  for (const node of nodes.toReversed()) {
    if (!node.outputs.some((id) => wanted.has(id))) continue;
    found.add(node);
    for (const id of node.inputs) wanted.add(id);
  }
  return found;
}
