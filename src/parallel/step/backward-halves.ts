/**
 * The backward pass of a stage in two halves, as zero-bubble schedules need it: I makes the gradient of the stage's
 * input, for which the previous rank waits; W makes the gradients of the parameters, for which no rank waits. An
 * operator that makes both at once belongs to I. As in torch, I does nothing in the first stage, because no rank waits
 * for it, and W is the whole backward pass. Called by pipeline/compile.ts.
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
