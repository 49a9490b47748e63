/** Helpers for graph passes: find the maker and the users of a value, replace nodes, and drop unused values. */
import { at } from '../../base/invariant';
import type { Graph, GraphNode } from '../graph';
import type { ValueId } from '../op';

/**
 * A pass: from one finished graph (forward and backward) to another with the same results. Values in `keep` must
 * survive.
 */
export type GraphPass = (graph: Graph, keep: ReadonlySet<ValueId>) => Graph;

export interface Uses {
  /** The node that makes the value, if any. */
  producer(value: ValueId): GraphNode | undefined;
  users(value: ValueId): readonly GraphNode[];
}

export function usesOf({ nodes }: Graph): Uses {
  const producers = new Map<ValueId, GraphNode>();
  const users = new Map<ValueId, GraphNode[]>();
  for (const node of nodes) {
    for (const id of node.outputs) producers.set(id, node);
    for (const id of new Set(node.inputs)) {
      const list = users.get(id);
      if (list) list.push(node);
      else users.set(id, [node]);
    }
  }
  return { producer: (value) => producers.get(value), users: (value) => users.get(value) ?? [] };
}

/** Replaces each node that the map names by the map's nodes (an empty list drops it); other nodes stay. */
export function replaceNodes(graph: Graph, replaced: ReadonlyMap<GraphNode, GraphNode | undefined>): Graph {
  if (replaced.size === 0) return graph;
  return {
    ...graph,
    nodes: graph.nodes.flatMap((node) => {
      const other = replaced.has(node) ? replaced.get(node) : node;
      return other ? [other] : [];
    }),
  };
}

/** Drops values that no node reads or writes and that are not in `keep`, and renumbers the others. */
export function prune(graph: Graph, keep: ReadonlySet<ValueId>): Graph {
  const used = new Set<ValueId>(keep);
  for (const node of graph.nodes) for (const id of [...node.inputs, ...node.outputs]) used.add(id);
  const kept = graph.values.filter((value) => used.has(value.id));
  if (kept.length === graph.values.length) return graph;
  const idOf = new Map(kept.map((value, i) => [value.id, i]));
  const renumber = (ids: readonly ValueId[]): ValueId[] => ids.map((id) => at([idOf.get(id) ?? -1], 0));
  return {
    values: kept.map((value, id) => ({ ...value, id })),
    nodes: graph.nodes.map((node) => ({ ...node, inputs: renumber(node.inputs), outputs: renumber(node.outputs) })),
  };
}
