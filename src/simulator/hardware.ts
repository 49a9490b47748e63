/**
 * The machines of the modelled clock. Figures are the makers' peak numbers, rounded, so the model says what a Program could take at
 * best, not what a framework would add. A table: a new machine is a new row.
 * Compute: NVIDIA A100 40 GB data sheet: 19.5 TFLOP/s float32 without tensor cores, 1,555 GB/s HBM2, NVLink 3 300 GB/s each way (600 GB/s both).
 * Links: PCI Express 4.0 x16 is 31.5 GB/s each way, of which copies reach about 25; 10 Gbit Ethernet is 1.25 GB/s. Latencies are the orders commonly
 * measured for a small message: NCCL over NVLink a few us, peer copies through a PCIe switch about 10 us, TCP through the kernel tens of us; a CUDA
 * kernel launch 3-5 us. Between nodes: a DGX A100 has a 200 Gbit InfiniBand card for each GPU, 25 GB/s, about 5 us with GPUDirect.
 */
import type { Link } from '../protocol/collective';
import type { HardwareId } from '../protocol/config';
import type { DeviceIndex } from '../protocol/trace';

export interface Hardware {
  readonly id: HardwareId;
  readonly label: string;
  /** float32 operations a second of one device. */
  readonly flopsPerSecond: number;
  /** Bytes a second of its memory. */
  readonly memoryBytesPerSecond: number;
  /** Cost of starting one kernel, or one copy from the host, microseconds. */
  readonly launchUs: number;
  /** Alpha: what a message costs whatever its size, microseconds. */
  readonly linkLatencyUs: number;
  /** Beta: bytes a second that a device can send, and as many that it can receive at the same time. */
  readonly linkBytesPerSecond: number;
  /** Between two nodes of such machines; every device has a port of its own there, too. */
  readonly across: Link;
  /** Where not all links are alike: the one between two devices, in place of the two figures above. */
  readonly linkBetween?: (from: DeviceIndex, to: DeviceIndex) => Link;
  /** Host to device. */
  readonly hostBytesPerSecond: number;
  /** Batches come in over the same port as messages from other devices. */
  readonly hostSharesLink: boolean;
}

const A100 = { flopsPerSecond: 19.5e12, memoryBytesPerSecond: 1.555e12, launchUs: 4, hostBytesPerSecond: 25e9 };
const ETHERNET: Link = { latencyUs: 30, bytesPerSecond: 1.25e9 };

export const HARDWARE: Readonly<Record<HardwareId, Hardware>> = {
  nvlink8: {
    id: 'nvlink8',
    label: '8 × A100, NVLink 300 GB/s',
    ...A100,
    linkLatencyUs: 3,
    linkBytesPerSecond: 300e9,
    across: { latencyUs: 5, bytesPerSecond: 25e9 },
    hostSharesLink: false,
  },
  pcie4: {
    id: 'pcie4',
    label: '4 × A100, PCIe 4 25 GB/s',
    ...A100,
    linkLatencyUs: 10,
    linkBytesPerSecond: 25e9,
    across: ETHERNET,
    hostSharesLink: true,
  },
  ethernet10g: {
    id: 'ethernet10g',
    label: 'one A100 a node, 10 Gbit Ethernet',
    ...A100,
    linkLatencyUs: ETHERNET.latencyUs,
    linkBytesPerSecond: ETHERNET.bytesPerSecond,
    across: ETHERNET,
    hostSharesLink: false,
  },
};

export interface HardwareDescription {
  readonly label: string;
  readonly assumptions: readonly string[];
}

/** What the page and the report say about the clock. */
export function describe(hardware: Hardware): HardwareDescription {
  const giga = (perSecond: number): string => `${perSecond / 1e9} GB/s`;
  return {
    label: hardware.label,
    assumptions: [
      `A kernel takes ${hardware.launchUs} µs to start, then the longer of its flops at ${hardware.flopsPerSecond / 1e12} TFLOP/s and its bytes at ${giga(hardware.memoryBytesPerSecond)}.`,
      `A message takes ${hardware.linkLatencyUs} µs plus its bytes at ${giga(hardware.linkBytesPerSecond)}. A device sends one message and receives one at a time; sums are taken as bytes arrive.`,
      `Between nodes, where the devices are spread over several, a message takes ${hardware.across.latencyUs} µs plus its bytes at ${giga(hardware.across.bytesPerSecond)}; each device has a network port of its own.`,
      `Batches come from pinned host memory at ${giga(hardware.hostBytesPerSecond)}${hardware.hostSharesLink ? ', through the port that messages use' : ''}.`,
      'Every device has a compute and a communication queue; a larger mesh than the machine has is modelled as if it had one.',
      'Python, the data loader and the autograd engine cost nothing here.',
      'A toy net is pure overhead on such a machine: nearly all its time is launches and latency, so more devices make it slower. Widen the layers or the batch to see a speed-up.',
    ],
  };
}
