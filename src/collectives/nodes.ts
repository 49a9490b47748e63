/**
 * Which devices share a node: as many on each as can be, in order, as torchrun numbers ranks. Called by parallel/,
 * simulator/ and session/.
 */
import type { Config } from '../protocol/config';
import type { DeviceIndex } from '../protocol/trace';

/** By device, the number of its node. A node too many stays empty. */
export function nodeOfDevices({ worldSize, nodes }: Pick<Config, 'worldSize' | 'nodes'>): readonly number[] {
  const count = Math.min(nodes, worldSize);
  return Array.from({ length: worldSize }, (_, device) => Math.floor((device * count) / worldSize));
}

/** Ranks of a group by node; undefined where they are all on one. */
export function ranksByNode(
  group: readonly DeviceIndex[],
  nodeOf: readonly number[] | undefined,
): readonly (readonly number[])[] | undefined {
  const nodes = new Map<number, number[]>();
  group.forEach((device, rank) => {
    const node = nodeOf?.[device] ?? 0;
    nodes.set(node, [...(nodes.get(node) ?? []), rank]);
  });
  return nodes.size > 1 ? [...nodes.values()] : undefined;
}
