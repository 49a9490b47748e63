/**
 * Activation checkpointing (torch.utils.checkpoint): of each segment of forward nodes only the values that later
 * segments read are kept; the others are recomputed right before the first backward node that reads them. This saves
 * the memory of values inside the segments, and costs part of a forward pass; every bit stays the same. Outputs of a
 * node with effects (batch norm's statistics) are kept, not recomputed: torch would update the running statistics
 * twice.
 */
import { at } from '../../base/invariant';
import type { Graph, GraphNode, GraphValue } from '../graph';
import type { ValueId } from '../op';

/** Half-open range of indices into `graph.nodes`, all of them forward nodes. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

export function checkpoint(graph: Graph, segments: readonly Segment[], keep: ReadonlySet<ValueId>): Graph {
  const values: GraphValue[] = [...graph.values];
  const before = new Map<GraphNode, GraphNode[]>();
  const renamed = new Map<ValueId, ValueId>();
  for (const segment of segments) {
    const inside = graph.nodes.slice(segment.start, segment.end);
    const later = graph.nodes.slice(segment.end);
    const dropped = droppable(graph, inside, later, keep);
    const first = later.find((node) => node.phase === 'backward' && node.inputs.some((id) => dropped.has(id)));
    if (!first) continue;
    const wanted = needed(inside, later, dropped);
    const again = inside.filter((node) => node.outputs.some((id) => wanted.has(id)));
    const made = new Map<ValueId, ValueId>();
    for (const id of again.flatMap((node) => node.outputs)) {
      const value = at(graph.values, id);
      made.set(id, values.length);
      // A kept value that the recomputation also makes: readers keep the original.
      if (dropped.has(id)) renamed.set(id, values.length);
      values.push({ ...value, id: values.length, name: `${value.name}.again` });
    }
    const clone = (node: GraphNode): GraphNode => ({
      ...remap(node, renamed),
      outputs: node.outputs.map((id) => made.get(id) ?? id),
      phase: 'backward',
    });
    before.set(first, [...(before.get(first) ?? []), ...again.map(clone)]);
  }
  const nodes = graph.nodes.flatMap((node) => [
    ...(before.get(node) ?? []),
    node.phase === 'backward' ? remap(node, renamed) : node,
  ]);
  return { values, nodes };
}

/** Values of a segment that only the segment itself and backward read. */
function droppable(
  graph: Graph,
  inside: readonly GraphNode[],
  later: readonly GraphNode[],
  keep: ReadonlySet<ValueId>,
): ReadonlySet<ValueId> {
  const effects = (node: GraphNode) => node.outputs.some((id) => at(graph.values, id).role === 'buffer');
  const made = new Set(inside.flatMap((node) => (effects(node) ? [] : node.outputs)));
  for (const node of later) if (node.phase !== 'backward') for (const id of node.inputs) made.delete(id);
  for (const id of keep) made.delete(id);
  return made;
}

/** The dropped values that backward reads, and the dropped values from which these are computed. */
function needed(
  inside: readonly GraphNode[],
  later: readonly GraphNode[],
  dropped: ReadonlySet<ValueId>,
): ReadonlySet<ValueId> {
  const wanted = new Set<ValueId>();
  const want = (node: GraphNode) => {
    for (const id of node.inputs) if (dropped.has(id)) wanted.add(id);
  };
  for (const node of later) if (node.phase === 'backward') want(node);
  for (const node of [...inside].reverse()) if (node.outputs.some((id) => wanted.has(id))) want(node);
  return wanted;
}

const remap = (node: GraphNode, renamed: ReadonlyMap<ValueId, ValueId>): GraphNode => ({
  ...node,
  inputs: node.inputs.map((id) => renamed.get(id) ?? id),
});
