/**
 * The machines of the modelled clock. A table: a new machine is a new row. Compute: NVIDIA's A100 40 GB data sheet
 * (19.5 TFLOP/s float32 without tensor cores, 312 TFLOP/s in half precision with them, 1,555 GB/s HBM2); a CUDA kernel
 * launch 3-5 us. Links: 80 % of the line rate, as NCCL's protocols achieve (NVLink 3: 300 -> 240 GB/s, as in NCCL's
 * topo.h, 12 links of 20; PCI Express 4.0 x16: 31.5 -> 25; 200 Gbit InfiniBand: 25 -> 20; 10 Gbit Ethernet: 1.25 -> 1).
 * For the cost of collectives see `protocols.ts`. On the transputer a net of a few hundred weights takes real work:
 * Inmos's data sheet of the T800-20 has 1.5 MFLOP/s sustained, 26.6 MB/s from external memory and four links that run
 * beside the processor, at 20, 10 or 5 Mbit/s (1.74 MB/s one way at 20). With 5 a small net computes several times as
 * long as it sends, as large nets do on GPUs.
 */
import type { Link } from '../protocol/collective';
import type { HardwareId } from '../protocol/config';
import { ETHERNET_PROTOCOLS, NVLINK_PROTOCOLS, PCIE_PROTOCOLS, type Protocol, TRANSPUTER_PROTOCOLS } from './protocols';

export interface Hardware {
  readonly id: HardwareId;
  readonly label: string;
  /** float32 operations per second of one device. */
  readonly flopsPerSecond: number;
  /** The same in float16 or bfloat16, with float32 sums. */
  readonly halfFlopsPerSecond: number;
  /** Bandwidth of its memory. */
  readonly memoryBytesPerSecond: number;
  /** Cost of starting one kernel, or one copy from the host, microseconds. */
  readonly launchUs: number;
  /** Fixed cost of a message outside collectives (a copy from peer to peer), microseconds. */
  readonly linkLatencyUs: number;
  /** Bytes per second that a device can send, and can receive at the same time. */
  readonly linkBytesPerSecond: number;
  /** Link between two nodes of such machines; every device has its own network port. */
  readonly across: Link;
  /** Node of each device; absent: all share one. */
  readonly nodeOf?: readonly number[];
  /** Protocols of collectives; each collective uses the fastest one. At least one. */
  readonly protocols: readonly Protocol[];
  /** Host to device. */
  readonly hostBytesPerSecond: number;
  /** Batches come in over the same port as messages from other devices. */
  readonly hostSharesLink: boolean;
  /** What its compute rate means, and how its collectives send: half sentences for `describe`. */
  readonly rate?: string;
  readonly sends?: string;
  /** What nets of this size can expect from the machine. */
  readonly scale?: string;
}

/**
 * A device's share of its host's memory bandwidth, for CPU offload: a server with eight channels of DDR4-3200 per
 * socket has 204.8 GB/s for four devices.
 */
export const HOST_MEMORY_BYTES_PER_SECOND = 51.2e9;

const A100 = {
  flopsPerSecond: 19.5e12,
  halfFlopsPerSecond: 312e12,
  memoryBytesPerSecond: 1.555e12,
  launchUs: 4,
  hostBytesPerSecond: 25e9,
};
const ETHERNET: Link = { latencyUs: 30, bytesPerSecond: 1e9 };
const TRANSPUTER_LINK: Link = { latencyUs: 2, bytesPerSecond: 0.435e6 };

export const HARDWARE: Readonly<Record<HardwareId, Hardware>> = {
  nvlink8: {
    id: 'nvlink8',
    label: '8 × A100, NVLink 3, 240 GB/s',
    ...A100,
    linkLatencyUs: 3,
    linkBytesPerSecond: 240e9,
    across: { latencyUs: 5, bytesPerSecond: 20e9 },
    protocols: NVLINK_PROTOCOLS,
    hostSharesLink: false,
  },
  pcie4: {
    id: 'pcie4',
    label: '4 × A100, PCIe 4, 25 GB/s',
    ...A100,
    linkLatencyUs: 10,
    linkBytesPerSecond: 25e9,
    across: ETHERNET,
    protocols: PCIE_PROTOCOLS,
    hostSharesLink: true,
  },
  ethernet10g: {
    id: 'ethernet10g',
    label: 'one A100 per node, 10 Gbit Ethernet',
    ...A100,
    linkLatencyUs: ETHERNET.latencyUs,
    linkBytesPerSecond: ETHERNET.bytesPerSecond,
    across: ETHERNET,
    protocols: ETHERNET_PROTOCOLS,
    hostSharesLink: false,
  },
  transputer: {
    id: 'transputer',
    label: '4 × T800 transputer (1987), 5 Mbit/s links',
    flopsPerSecond: 1.5e6,
    halfFlopsPerSecond: 1.5e6,
    memoryBytesPerSecond: 26.6e6,
    launchUs: 2,
    linkLatencyUs: TRANSPUTER_LINK.latencyUs,
    linkBytesPerSecond: TRANSPUTER_LINK.bytesPerSecond,
    across: TRANSPUTER_LINK,
    protocols: TRANSPUTER_PROTOCOLS,
    hostBytesPerSecond: TRANSPUTER_LINK.bytesPerSecond,
    hostSharesLink: false,
    rate: 'what its data sheet calls sustained',
    sends:
      'A collective is the same program as on GPUs; each link has an engine that sends while the processor computes',
    scale:
      'A net of a few hundred weights is work for such a machine, as one of millions is for a GPU: it computes longer than it sends, and more devices make it faster.',
  },
};

export interface HardwareDescription {
  readonly label: string;
  readonly assumptions: readonly string[];
}

/**
 * The text about the clock on the page and in the report. The label names the number of devices of the run, or without
 * it, of the machine as sold.
 */
export function describe(hardware: Hardware, devices?: number): HardwareDescription {
  const giga = (perSecond: number): string =>
    perSecond >= 1e8 ? `${perSecond / 1e9} GB/s` : `${Number((perSecond / 1e6).toPrecision(3))} MB/s`;
  const flops = hardware.flopsPerSecond;
  const {
    rate = "float32 without tensor cores; cuDNN's convolutions use TF32 by default and are faster. In half precision it is 312 TFLOP/s",
    sends = 'A collective uses the protocol of NCCL that is fastest for its size',
  } = hardware;
  const protocols = hardware.protocols.map(
    ({ name, startUs, inside }) =>
      `${name}: ${startUs} µs to start, then ${inside.latencyUs} µs per message and its bytes at ${giga(inside.bytesPerSecond)}`,
  );
  return {
    label: devices === undefined ? hardware.label : hardware.label.replace(/^\d+ ×/, `${devices} ×`),
    assumptions: [
      `A kernel takes ${hardware.launchUs} µs to start, then the longer of its flops at ${flops >= 1e12 ? `${flops / 1e12} T` : `${flops / 1e6} M`}FLOP/s and its bytes at ${giga(hardware.memoryBytesPerSecond)}. That rate is ${rate}.`,
      `${sends}. ${protocols.join('; ')}.`,
      `Any other message takes ${hardware.linkLatencyUs} µs plus its bytes at ${giga(hardware.linkBytesPerSecond)}. A device sends one message and receives one at a time; sums are taken as bytes arrive.`,
      `Between nodes, where the devices are spread over several, a message takes ${hardware.across.latencyUs} µs plus its bytes at ${giga(hardware.across.bytesPerSecond)}; each device has a network port of its own.`,
      `Batches come from pinned host memory (a DataLoader with pin_memory=True) at ${giga(hardware.hostBytesPerSecond)}${hardware.hostSharesLink ? ', through the port that messages use' : ''}.`,
      'Every device has a compute and a communication queue; a larger mesh than the machine has is modelled as if it had one.',
      'Python, the data loader and the autograd engine cost nothing here. A DDP bucket is packed by one kernel; PyTorch copies each gradient by itself, unless batched_grad_copy=True (2.13).',
      hardware.scale ??
        'A toy net is pure overhead on such a machine: nearly all its time is launches and latency, so more devices make it slower. Widen the layers or the batch to see a speed-up.',
    ],
  };
}
