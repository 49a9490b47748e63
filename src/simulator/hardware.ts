/**
 * The machines of the modelled clock. Figures are the makers' peak numbers, rounded; the model is a roofline for kernels and alpha-beta for
 * links, so it says what a Program could take at best, not what a framework would add.
 * Sources: NVIDIA A100 data sheet (19.5 TFLOP/s float32, 1.55 TB/s HBM2, NVLink 3 300 GB/s each way), PCI Express 4.0 x16 (32 GB/s raw, about
 * 25 GB/s usable), 10 Gbit Ethernet (1.25 GB/s); latencies of NCCL over NVLink, of peer copies over PCIe and of gloo over TCP, as commonly measured.
 */
import type { HardwareId } from '../protocol/config';

export interface Hardware {
  readonly id: HardwareId;
  readonly label: string;
  /** float32 operations a second of one device. */
  readonly flopsPerSecond: number;
  /** Bytes a second of its memory. */
  readonly memoryBytesPerSecond: number;
  /** Cost of starting one kernel, microseconds. */
  readonly launchUs: number;
  /** Cost of one message, microseconds, and bytes a second of one direction of a link. */
  readonly linkLatencyUs: number;
  readonly linkBytesPerSecond: number;
  /** Host to device. */
  readonly hostBytesPerSecond: number;
}

const A100 = { flopsPerSecond: 19.5e12, memoryBytesPerSecond: 1.555e12, launchUs: 4, hostBytesPerSecond: 25e9 };

export const HARDWARE: Readonly<Record<HardwareId, Hardware>> = {
  nvlink8: { id: 'nvlink8', label: '8 × A100, NVLink 300 GB/s', ...A100, linkLatencyUs: 3, linkBytesPerSecond: 300e9 },
  pcie4: { id: 'pcie4', label: '4 × A100, PCIe 4 25 GB/s', ...A100, linkLatencyUs: 8, linkBytesPerSecond: 25e9 },
  ethernet10g: { id: 'ethernet10g', label: 'one A100 a node, 10 Gbit Ethernet', ...A100, linkLatencyUs: 30, linkBytesPerSecond: 1.25e9 },
};

/** What the page and the report say about the clock. */
export function describe(hardware: Hardware): { readonly label: string; readonly assumptions: readonly string[] } {
  return {
    label: hardware.label,
    assumptions: [
      `A kernel takes ${hardware.launchUs} us to start, then the longer of flops at ${hardware.flopsPerSecond / 1e12} TFLOP/s and bytes at ${hardware.memoryBytesPerSecond / 1e9} GB/s.`,
      `A message takes ${hardware.linkLatencyUs} us plus its bytes at ${hardware.linkBytesPerSecond / 1e9} GB/s; each pair of devices has a link of its own.`,
      'A toy net is all launch and latency on such a machine: its speed-up is honest and small.',
    ],
  };
}
