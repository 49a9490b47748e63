/**
 * The cost of one instruction on modelled hardware, in microseconds: a roofline for kernels (Williams, Waterman,
 * Patterson 2009), alpha-beta for messages. Alpha is split as LogP splits it (Culler et al. 1993): half keeps the
 * sender busy, half is time on the wire. Called by simulate.ts.
 */
import type { Compute, Load, Recv, Send } from '../program/instruction';
import type { Link } from '../protocol/collective';
import type { DeviceIndex } from '../protocol/trace';
import { type Hardware, HOST_MEMORY_BYTES_PER_SECOND } from './hardware';
import { linkOf, type Protocol } from './protocols';

const US = 1e6;

/**
 * Launch, then the slower of arithmetic and memory. An instruction that neither computes nor moves anything is a view
 * in PyTorch and launches no kernel.
 */
export function kernelUs(
  { flops, bytes, inHalf, onHost }: Pick<Compute, 'flops' | 'bytes' | 'inHalf' | 'onHost'>,
  hardware: Hardware,
): number {
  if (flops === 0 && bytes === 0) return 0;
  if (onHost) return hostUs(onHost, bytes, hardware);
  const rate = inHalf ? hardware.halfFlopsPerSecond : hardware.flopsPerSecond;
  return hardware.launchUs + US * Math.max(flops / rate, bytes / hardware.memoryBytesPerSecond);
}

/** A copy reads on one side and writes on the other; an optimiser on the host waits for the host's memory. */
const hostUs = (onHost: 'copied' | 'computed', bytes: number, { launchUs, hostBytesPerSecond }: Hardware): number =>
  onHost === 'copied' ? launchUs + (US * bytes) / 2 / hostBytesPerSecond : (US * bytes) / HOST_MEMORY_BYTES_PER_SECOND;

/** A step's scalars are arguments of the kernel that reads them. */
export function loadUs({ source, bytes }: Pick<Load, 'source' | 'bytes'>, hardware: Hardware): number {
  return source === 'scalars' ? 0 : hardware.launchUs + (US * bytes) / hardware.hostBytesPerSecond;
}

export interface MessageCost {
  /** How long the message keeps the sender and both ports busy. */
  readonly busyUs: number;
  /** From its start to its arrival: alpha + bytes / beta. */
  readonly arrivalUs: number;
}

/** `protocol`: of its collective; absent: a copy from peer to peer. */
export function messageUs(
  { bytes, peer }: Pick<Send, 'bytes' | 'peer'>,
  from: DeviceIndex,
  hardware: Hardware,
  protocol: Protocol | undefined,
): MessageCost {
  const { latencyUs, bytesPerSecond } = protocol
    ? linkOf(protocol, hardware, from, peer)
    : peerLink(hardware, from, peer);
  const wireUs = (US * bytes) / bytesPerSecond;
  return { busyUs: latencyUs / 2 + wireUs, arrivalUs: latencyUs + wireUs };
}

function peerLink(
  { nodeOf, across, linkLatencyUs, linkBytesPerSecond }: Hardware,
  from: DeviceIndex,
  to: DeviceIndex,
): Link {
  if (nodeOf !== undefined && nodeOf[from] !== nodeOf[to]) return across;
  return { latencyUs: linkLatencyUs, bytesPerSecond: linkBytesPerSecond };
}

/** The least time of a receive: combining reads both operands and writes one, streamed as the bytes arrive. */
export function applyUs({ apply, bytes }: Pick<Recv, 'apply' | 'bytes'>, hardware: Hardware): number {
  return apply === 'put' ? 0 : (US * 3 * bytes) / hardware.memoryBytesPerSecond;
}
