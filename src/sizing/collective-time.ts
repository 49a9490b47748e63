/**
 * The time of collectives among the ranks of rented machines: repeats the closed forms of `collectives/`, so that a
 * page need not load the algorithms, with the fastest protocol for each size, as in the simulator. Tests compare each
 * form with the algorithm's own. Ranks fill one node before the next; several nodes reduce inside first, like NCCL's
 * rings over all network ports.
 */
import type { Link } from '../protocol/collective';
import type { Machine } from './machines';

/** alpha + bytes / beta, microseconds. */
const hopUs = (bytes: number, { latencyUs, bytesPerSecond }: Link): number =>
  latencyUs + (1e6 * bytes) / bytesPerSecond;

/** The ranks on the fullest and on the emptiest node, and the number of nodes. */
function placed(ranks: number, { gpusPerNode }: Machine) {
  const nodes = Math.ceil(ranks / gpusPerNode);
  return { nodes, most: Math.min(ranks, gpusPerNode), least: ranks - (nodes - 1) * gpusPerNode };
}

export const allReduceUs = (bytes: number, ranks: number, machine: Machine): number =>
  allReduceTimes(ranks, machine)(bytes);

/**
 * All-reduce times for many sizes among the same ranks: rings inside the nodes, and across nodes over each node's
 * parts.
 */
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

/** The time by the fastest protocol; if ranks are on several nodes, the slowest hop is between two nodes. */
function fastest(ranks: number, { hardware, gpusPerNode }: Machine, us: (link: Link) => number): number {
  if (ranks === 1) return 0;
  return Math.min(
    ...hardware.protocols.map(({ startUs, inside, across }) => startUs + us(ranks > gpusPerNode ? across : inside)),
  );
}

/** An all-gather around a ring: every rank contributes `bytes / ranks` and ends with `bytes`. */
export const allGatherUs = (bytes: number, ranks: number, machine: Machine): number =>
  fastest(ranks, machine, (link) => (ranks - 1) * hopUs(bytes / ranks, link));

/**
 * An all-reduce through rank 0, which receives all inputs one after the other and sends the sum back; its port is busy
 * for half of each latency.
 */
export const throughRootUs = (bytes: number, ranks: number, machine: Machine): number =>
  fastest(ranks, machine, (link) => {
    const half = { ...link, latencyUs: link.latencyUs / 2 };
    return 2 * ((ranks - 1) * hopUs(bytes, half) + half.latencyUs);
  });

/** A broadcast chunk by chunk along a chain from rank 0. */
export const broadcastUs = (bytes: number, ranks: number, machine: Machine): number =>
  fastest(ranks, machine, (link) => {
    const chunk = bytes / ranks;
    return (ranks - 1) * (hopUs(chunk, link) + hopUs(chunk, { ...link, latencyUs: link.latencyUs / 2 }));
  });

/** One message from a device to the next; between nodes over the slower link. */
export function messageUs(bytes: number, between: 'GPUs' | 'nodes', { hardware }: Machine): number {
  const { linkLatencyUs, linkBytesPerSecond, across } = hardware;
  return hopUs(bytes, between === 'nodes' ? across : { latencyUs: linkLatencyUs, bytesPerSecond: linkBytesPerSecond });
}
