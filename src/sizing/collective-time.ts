/**
 * How long collectives take among the ranks of rented machines: the closed forms of `collectives/` once more, so that a
 * page need not load the algorithms, with the protocol that is fastest for the size, as the simulator chooses. Tests
 * hold each form against the algorithm's own. Ranks fill one node before the next; several nodes reduce inside first,
 * as NCCL's rings over all network ports do.
 */
import type { Link } from '../protocol/collective';
import type { Machine } from './machines';

/** alpha + bytes / beta, microseconds. */
const hopUs = (bytes: number, { latencyUs, bytesPerSecond }: Link): number =>
  latencyUs + (1e6 * bytes) / bytesPerSecond;

/** Ranks on the fullest and on the emptiest node, and nodes. */
function placed(ranks: number, { gpusPerNode }: Machine) {
  const nodes = Math.ceil(ranks / gpusPerNode);
  return { nodes, most: Math.min(ranks, gpusPerNode), least: ranks - (nodes - 1) * gpusPerNode };
}

export const allReduceUs = (bytes: number, ranks: number, machine: Machine): number =>
  allReduceTimes(ranks, machine)(bytes);

/** For many sizes among the same ranks: rings inside the nodes, and across them over each node's parts. */
export function allReduceTimes(ranks: number, machine: Machine): (bytes: number) => number {
  const { nodes, most, least } = placed(ranks, machine);
  return (bytes) => {
    if (ranks === 1 || bytes === 0) return 0;
    const part = bytes / least;
    const times = machine.hardware.protocols.map(
      ({ startUs, inside, across }) =>
        startUs + 2 * (most - 1) * hopUs(part, inside) + 2 * (nodes - 1) * hopUs(part / nodes, across),
    );
    return Math.min(...times);
  };
}

/** By the fastest protocol; where ranks are on several nodes, the slowest hop is between two of them. */
function fastest(ranks: number, { hardware, gpusPerNode }: Machine, us: (link: Link) => number): number {
  if (ranks === 1) return 0;
  return Math.min(
    ...hardware.protocols.map(({ startUs, inside, across }) => startUs + us(ranks > gpusPerNode ? across : inside)),
  );
}

/** Around a ring: every rank brings `bytes / ranks` and ends with `bytes`. */
export const allGatherUs = (bytes: number, ranks: number, machine: Machine): number =>
  fastest(ranks, machine, (link) => (ranks - 1) * hopUs(bytes / ranks, link));

/** Rank 0 collects all, one after the other, and sends the sum back: half of a latency keeps its port busy. */
export const throughRootUs = (bytes: number, ranks: number, machine: Machine): number =>
  fastest(ranks, machine, (link) => {
    const half = { ...link, latencyUs: link.latencyUs / 2 };
    return 2 * ((ranks - 1) * hopUs(bytes, half) + half.latencyUs);
  });

/** Chunk by chunk along a chain that begins at rank 0. */
export const broadcastUs = (bytes: number, ranks: number, machine: Machine): number =>
  fastest(ranks, machine, (link) => {
    const chunk = bytes / ranks;
    return (ranks - 1) * (hopUs(chunk, link) + hopUs(chunk, { ...link, latencyUs: link.latencyUs / 2 }));
  });

/** One message from a device to the next; the slower link where they are on different nodes. */
export function messageUs(bytes: number, between: 'GPUs' | 'nodes', { hardware }: Machine): number {
  const { linkLatencyUs, linkBytesPerSecond, across } = hardware;
  return hopUs(bytes, between === 'nodes' ? across : { latencyUs: linkLatencyUs, bytesPerSecond: linkBytesPerSecond });
}
