/**
 * The cost of a collective on modelled hardware. NCCL has three protocols: LL and LL128 send a flag with every few
 * bytes, so hops are fast but bandwidth is lost; Simple sends whole blocks between fences. NCCL estimates the time of
 * each for the given size and uses the fastest (NVIDIA/nccl, src/graph/tuning.cc): a cost to start, a cost per hop,
 * bytes over bandwidth. This file does the same. Start and hop are that file's figures (baseLatencies, hwLatencies),
 * except Simple's hop over NVLink (3.4 there). That hop and the bandwidths of LL and LL128 are fitted to published
 * times, because the file's bandwidths (87.7 and 220 GB/s) need all channels, and NCCL gives a small collective few.
 * `nccl-published.test.ts` compares the NVLink rows with those times.
 */

import { at } from '../base/invariant';
import { collectiveKey } from '../program/collective-key';
import type { Program } from '../program/instruction';
import type { Link } from '../protocol/collective';
import type { DeviceIndex } from '../protocol/trace';

export interface Protocol {
  readonly name: 'LL' | 'LL128' | 'Simple';
  /** Time of a collective before its first message, on every rank, microseconds. */
  readonly startUs: number;
  readonly inside: Link;
  /** Link between nodes. */
  readonly across: Link;
}

const link = (latencyUs: number, gigabytesPerSecond: number): Link => ({
  latencyUs,
  bytesPerSecond: gigabytesPerSecond * 1e9,
});

/** Across nodes: the NET row of tuning.cc and 200 Gbit InfiniBand. */
export const NVLINK_PROTOCOLS: readonly Protocol[] = [
  { name: 'LL', startUs: 6.6, inside: link(0.6, 5.5), across: link(5, 5.5) },
  { name: 'LL128', startUs: 14, inside: link(1.9, 110), across: link(8.5, 18.4) },
  { name: 'Simple', startUs: 8.4, inside: link(5, 240), across: link(14, 20) },
];

/** NCCL does not use LL128 over PCI Express. Across nodes: TCP, whose latency is that of the kernel's sockets. */
export const PCIE_PROTOCOLS: readonly Protocol[] = [
  { name: 'LL', startUs: 6.6, inside: link(1, 5.5), across: link(30, 0.5) },
  { name: 'Simple', startUs: 8.4, inside: link(5.7, 25), across: link(30, 1) },
];

export const ETHERNET_PROTOCOLS: readonly Protocol[] = [
  { name: 'Simple', startUs: 8.4, inside: link(30, 1), across: link(30, 1) },
];

/** Without NCCL: each hop sets up the link's engine, and a collective starts one process per direction. */
export const TRANSPUTER_PROTOCOLS: readonly Protocol[] = [
  { name: 'Simple', startUs: 2, inside: link(2, 0.000435), across: link(2, 0.000435) },
];

interface Places {
  readonly nodeOf?: readonly number[];
  readonly protocols: readonly Protocol[];
}

export const linkOf = (protocol: Protocol, { nodeOf }: Places, from: DeviceIndex, to: DeviceIndex): Link =>
  nodeOf !== undefined && nodeOf[from] !== nodeOf[to] ? protocol.across : protocol.inside;

/**
 * The protocol of every collective of a Program: the one with the least sum of start and, round by round, the longest
 * message. For a ring this is NCCL's own estimate.
 */
export function protocolsOf(program: Program, places: Places): ReadonlyMap<string, Protocol> {
  const first = at(places.protocols, 0);
  /** By collective and protocol: the longest message of each round. */
  const rounds = new Map<string, readonly Map<number, number>[]>();
  for (const { device, instructions } of program.lanes) {
    for (const i of instructions) {
      if (i.kind !== 'send' || !i.collective) continue;
      const key = collectiveKey(i.collective);
      const round = i.collective.round ?? 0;
      const longest = rounds.get(key) ?? places.protocols.map(() => new Map<number, number>());
      rounds.set(key, longest);
      longest.forEach((of, k) => {
        const { latencyUs, bytesPerSecond } = linkOf(at(places.protocols, k), places, device, i.peer);
        of.set(round, Math.max(of.get(round) ?? 0, latencyUs + (1e6 * i.bytes) / bytesPerSecond));
      });
    }
  }
  const chosen = new Map<string, Protocol>();
  for (const [key, longest] of rounds) {
    const timeUs = longest.map((of, k) =>
      [...of.values()].reduce((sum, us) => sum + us, at(places.protocols, k).startUs),
    );
    chosen.set(key, places.protocols[timeUs.indexOf(Math.min(...timeUs))] ?? first);
  }
  return chosen;
}
