/**
 * Decides which ranks share a node. Called by the device mesh, the modelled clock, the launchers, the collectives lab
 * and torch.distributed's groups.
 */
import { at } from '../base/invariant';

/** The node of each rank, in order, with the ranks spread as evenly as possible. Surplus nodes stay empty. */
export function spreadOverNodes(ranks: number, nodes: number): readonly number[] {
  const count = Math.min(nodes, ranks);
  return Array.from({ length: ranks }, (_, rank) => Math.floor((rank * count) / ranks));
}

/** The ranks of each node. */
export function ranksByNode(ranks: number, nodes: number): readonly (readonly number[])[] {
  const nodeOf = spreadOverNodes(ranks, nodes);
  return placesByNode([...nodeOf.keys()], (rank) => at(nodeOf, rank));
}

/** The members of a group by node, as indices into the list; a single list if all are on one node. */
export function placesByNode(
  members: readonly number[],
  nodeOf: (member: number) => number,
): readonly (readonly number[])[] {
  const nodes = new Map<number, number[]>();
  for (const [place, member] of members.entries()) {
    const node = nodeOf(member);
    const own = nodes.get(node);
    if (own) own.push(place);
    else nodes.set(node, [place]);
  }
  return [...nodes.values()];
}
