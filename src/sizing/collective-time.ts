/**
 * How long collectives take among the ranks of rented machines: the closed forms of `collectives/`, with the protocol
 * that is fastest for the size, as the simulator chooses. Ranks fill one node before the next; several nodes reduce
 * inside first, as NCCL's rings over all network ports do.
 */
import { hierarchical } from '../collectives/hierarchical';
import { naive } from '../collectives/naive';
import { ring } from '../collectives/ring';
import type { Machine } from './machines';

/** Ranks by node: full nodes, and the rest on the last one. */
function nodesOf(ranks: number, { gpusPerNode }: Machine): readonly (readonly number[])[] {
  const count = Math.ceil(ranks / gpusPerNode);
  return Array.from({ length: count }, (_, node) =>
    Array.from({ length: Math.min(gpusPerNode, ranks - node * gpusPerNode) }, (_, k) => node * gpusPerNode + k),
  );
}

const protocolsOf = ({ hardware }: Machine) => hardware.protocols;

export const allReduceUs = (bytes: number, ranks: number, machine: Machine): number =>
  allReduceTimes(ranks, machine)(bytes);

/** For many sizes among the same ranks. */
export function allReduceTimes(worldSize: number, machine: Machine): (bytes: number) => number {
  const nodes = nodesOf(worldSize, machine);
  return (bytes) => {
    if (worldSize === 1 || bytes === 0) return 0;
    const request = { op: 'allReduce', bytes, worldSize, nodes } as const;
    const times = protocolsOf(machine).map((of) => of.startUs + hierarchical.timeUs(request, of.inside, of.across));
    return Math.min(...times);
  };
}

/** Half of an all-reduce: every rank brings `bytes / ranks` and ends with `bytes`. */
export const allGatherUs = (bytes: number, ranks: number, machine: Machine): number =>
  flatUs('allGather', bytes / ranks, ranks, machine);

/** Rank 0 collects all and sends the sum back. */
export const throughRootUs = (bytes: number, ranks: number, machine: Machine): number =>
  ranks === 1 ? 0 : Math.min(...sentUs(naive, 'allReduce', bytes, ranks, machine));

export const broadcastUs = (bytes: number, ranks: number, machine: Machine): number =>
  flatUs('broadcast', bytes, ranks, machine);

const flatUs = (op: 'allGather' | 'broadcast', bytes: number, ranks: number, machine: Machine): number =>
  ranks === 1 ? 0 : Math.min(...sentUs(ring, op, bytes, ranks, machine));

/** Once for each protocol. Where ranks are on several nodes, the slowest hop is between two of them. */
function sentUs(
  algorithm: typeof ring,
  op: 'allReduce' | 'allGather' | 'broadcast',
  bytes: number,
  worldSize: number,
  machine: Machine,
): readonly number[] {
  const spread = worldSize > machine.gpusPerNode;
  return protocolsOf(machine).map(({ startUs, inside, across }) => {
    const link = spread ? across : inside;
    return startUs + algorithm.timeUs({ op, bytes, worldSize }, link, across);
  });
}

/** One message from a device to the next; the slower link where they are on different nodes. */
export function messageUs(bytes: number, between: 'GPUs' | 'nodes', { hardware }: Machine): number {
  const { linkLatencyUs, linkBytesPerSecond, across } = hardware;
  const link = between === 'nodes' ? across : { latencyUs: linkLatencyUs, bytesPerSecond: linkBytesPerSecond };
  return link.latencyUs + (1e6 * bytes) / link.bytesPerSecond;
}
