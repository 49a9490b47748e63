/**
 * Machines that people rent, for models of the size that people train. Links, protocols and launches are those of the
 * modelled clock (simulator/hardware); matrix products run on tensor cores in bfloat16, at half of the data sheet's
 * rate, which well-tuned training reaches. NVIDIA's data sheets: A100 312 TFLOP/s, 40 GB; H100 SXM 989 TFLOP/s, 3.35
 * TB/s, 80 GB, NVLink 4 with 450 GB/s one way, 400 Gbit InfiniBand per GPU; links at 80 % of the line rate.
 */
import { HARDWARE, type Hardware } from '../simulator/hardware';
import { NVLINK_PROTOCOLS } from '../simulator/protocols';

export interface Machine {
  readonly id: string;
  readonly label: string;
  readonly hardware: Hardware;
  /** The memory of one GPU. */
  readonly memoryBytes: number;
  readonly gpusPerNode: number;
}

/** The share of the data sheet's rate for dense matrix products that a whole training step reaches. */
export const REACHED = 0.5;

const GIB = 2 ** 30;
const A100_FLOPS = 312e12;
const H100 = { flops: 989e12, memory: 3.35e12, nvlink: 360e9, network: 40e9 };

/** Each protocol keeps its start and hop times; bandwidths grow with the links. */
const H100_PROTOCOLS = NVLINK_PROTOCOLS.map((protocol) => ({
  ...protocol,
  inside: { ...protocol.inside, bytesPerSecond: (protocol.inside.bytesPerSecond * H100.nvlink) / 240e9 },
  across: { ...protocol.across, bytesPerSecond: (protocol.across.bytesPerSecond * H100.network) / 20e9 },
}));

const trained = (hardware: Hardware, flops: number): Hardware => ({ ...hardware, flopsPerSecond: REACHED * flops });

export const MACHINES: readonly Machine[] = [
  {
    id: 'a100',
    label: '8 × A100 40 GB, NVLink',
    hardware: trained(HARDWARE.nvlink8, A100_FLOPS),
    memoryBytes: 40 * GIB,
    gpusPerNode: 8,
  },
  {
    id: 'h100',
    label: '8 × H100 80 GB, NVLink',
    hardware: {
      ...trained(HARDWARE.nvlink8, H100.flops),
      memoryBytesPerSecond: H100.memory,
      linkBytesPerSecond: H100.nvlink,
      across: { latencyUs: 5, bytesPerSecond: H100.network },
      protocols: H100_PROTOCOLS,
      hostBytesPerSecond: 50e9,
    },
    memoryBytes: 80 * GIB,
    gpusPerNode: 8,
  },
  {
    id: 'pcie',
    label: '4 × A100 40 GB, PCIe 4',
    hardware: trained(HARDWARE.pcie4, A100_FLOPS),
    memoryBytes: 40 * GIB,
    gpusPerNode: 4,
  },
  {
    id: 'ethernet',
    label: 'one A100 40 GB per node, 10 Gbit Ethernet',
    hardware: trained(HARDWARE.ethernet10g, A100_FLOPS),
    memoryBytes: 40 * GIB,
    gpusPerNode: 1,
  },
];
