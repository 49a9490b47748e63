/**
 * The lab's words: names of collectives and reductions as in PyTorch and the literature, and the links to choose from.
 */
import type { CollectiveOp, ReduceOp } from '../../protocol/collective';
import type { Apply } from '../../protocol/trace';
import { unbroken } from '../draw/unbroken';

export const OP_WORDS: Readonly<Record<CollectiveOp, string>> = {
  allReduce: 'all_reduce',
  broadcast: 'broadcast',
  reduce: 'reduce',
  scatter: 'scatter',
  gather: 'gather',
  allGather: 'all_gather',
  reduceScatter: 'reduce_scatter',
  allToAll: 'all_to_all',
  barrier: 'barrier',
  sendRecv: 'send / recv',
};

export const OP_DOES: Readonly<Record<CollectiveOp, string>> = {
  allReduce: 'all buffers are combined, and every rank gets the result',
  broadcast: 'every rank gets the root’s buffer',
  reduce: 'all buffers are combined, and the root gets the result',
  scatter: 'each rank gets its part of the root’s buffer',
  gather: 'the root gets every rank’s buffer',
  allGather: 'every rank gets every rank’s buffer',
  reduceScatter: 'all buffers are combined, and each rank gets its part of the result',
  allToAll: 'each rank gets its part of every rank’s buffer',
  barrier: 'no rank continues before all ranks have arrived',
  sendRecv: 'one rank’s buffer goes to another',
};

export const REDUCE_WORDS: Readonly<Record<ReduceOp, string>> = {
  sum: 'SUM',
  product: 'PRODUCT',
  min: 'MIN',
  max: 'MAX',
  avg: 'AVG',
  band: 'BAND (int32)',
  bor: 'BOR (int32)',
  bxor: 'BXOR (int32)',
};

export const APPLY_WORDS: Readonly<Record<Apply, string>> = {
  put: 'stores them unchanged',
  add: 'adds them to its own',
  multiply: 'multiplies its own by them',
  min: 'keeps the smaller of each pair',
  max: 'keeps the larger of each pair',
  band: 'combines them with its own by AND',
  bor: 'combines them with its own by OR',
  bxor: 'combines them with its own by XOR',
};

export const ROOTED: ReadonlySet<CollectiveOp> = new Set(['broadcast', 'reduce', 'scatter', 'gather', 'sendRecv']);
export const REDUCING: ReadonlySet<CollectiveOp> = new Set(['allReduce', 'reduce', 'reduceScatter']);

export interface LinkPreset {
  readonly id: string;
  readonly words: string;
  /** The time of a collective before its first message. */
  readonly startUs: number;
  readonly latencyUs: number;
  readonly gbPerS: number;
}

/**
 * The figures of the modelled hardware, one for each protocol of NCCL. A test compares them with simulator/protocols.
 */
export const LINK_PRESETS: readonly LinkPreset[] = [
  { id: 'nvlinkLL', words: 'NVLink 3, LL', startUs: 6.6, latencyUs: 0.6, gbPerS: 5.5 },
  { id: 'nvlinkLL128', words: 'NVLink 3, LL128', startUs: 14, latencyUs: 1.9, gbPerS: 110 },
  { id: 'nvlinkSimple', words: 'NVLink 3, Simple', startUs: 8.4, latencyUs: 5, gbPerS: 240 },
  { id: 'pcieLL', words: 'PCIe 4, LL', startUs: 6.6, latencyUs: 1, gbPerS: 5.5 },
  { id: 'pcieSimple', words: 'PCIe 4, Simple', startUs: 8.4, latencyUs: 5.7, gbPerS: 25 },
  { id: 'infiniband', words: 'InfiniBand, Simple', startUs: 8.4, latencyUs: 14, gbPerS: 20 },
  { id: 'ethernet', words: '10 Gbit Ethernet', startUs: 8.4, latencyUs: 30, gbPerS: 1 },
];

type LinkFigures = Pick<LinkPreset, 'latencyUs' | 'gbPerS'> & Partial<Pick<LinkPreset, 'startUs'>>;

/** The preset with these figures; the link between nodes has no start time. */
export const presetOf = ({ startUs, latencyUs, gbPerS }: LinkFigures): string =>
  LINK_PRESETS.find(
    (link) =>
      link.latencyUs === latencyUs && link.gbPerS === gbPerS && (startUs === undefined || link.startUs === startUs),
  )?.id ?? 'own';

/** The letter of a crossover (a, b, c ...), in the chart and before its explanation. */
export const markOf = (index: number): string => String.fromCharCode(97 + (index % 26));

/** Greek letters and signs in place of the words of a formula. */
export const formulaText = (formula: string): string =>
  unbroken(
    formula
      .replaceAll('alpha', 'α')
      .replaceAll('beta', 'β')
      .replaceAll('log2', 'log₂')
      .replaceAll(' * ', ' ')
      .replaceAll('-', '−'),
  );
