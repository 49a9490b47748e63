/**
 * The closed form of what a mode sends in a step, from the configuration alone and not from the trace: the yardstick beside the counted bytes. Float32
 * everywhere, 4 bytes an element. Pure; called by metrics.ts and by the result panel.
 */
import { unreachable } from '../base/invariant';
import type { LayerConfig } from '../protocol/config';
import type { SessionInfo } from '../protocol/session';
import { hookBytes } from './hook-bytes';

export interface Formula {
  /** Bytes sent a step by each device; or, where not exact, their mean: chunks are rounded to elements, and ranks of a tree have unlike shares. */
  readonly perDevice: readonly number[];
  readonly total: number;
  /** The value is exact for each device, not only as a mean over them. */
  readonly exact: boolean;
  /** e.g. '2(N-1)/N × S, N = 4, S = 484 B'. */
  readonly text: string;
}

type FormulaInfo = Pick<SessionInfo, 'config' | 'worldSize' | 'parameters' | 'layersOfDevice' | 'batchPerRank'> & {
  readonly dataset: Pick<SessionInfo['dataset'], 'inputs'>;
};

const BYTES = 4;
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

function formula(perDevice: readonly number[], text: string, exact = true): Formula {
  return { perDevice, total: sum(perDevice), exact, text };
}

/** Features a row has after those layers. */
function widthAfter(layers: readonly LayerConfig[], inputs: number): number {
  const linear = layers.findLast((layer) => layer.type === 'Linear');
  return linear?.type === 'Linear' ? linear.out : inputs;
}

const parameterBytes = (info: FormulaInfo): number =>
  BYTES * sum(info.parameters.map((p) => p.shape.reduce((n, d) => n * d, 1)));

/** `rows`: samples on each device in the step meant; a full step's by default. `variant`: its Program. */
export function bytesFormula(
  info: FormulaInfo,
  rows: readonly number[] = info.batchPerRank,
  variant = 'full',
): Formula {
  const { config, worldSize } = info;
  switch (config.mode) {
    case 'single':
      return formula([0], '0: one device sends nothing');
    case 'ddp':
      return ddp(info, worldSize, variant);
    case 'dataParallel':
      return dataParallel(info, rows);
    case 'modelParallel':
      return modelParallel(info, rows[0] ?? 0);
    case 'parameterServer':
      return parameterServer(info, rows);
    default:
      return unreachable(config.mode);
  }
}

function ddp(info: FormulaInfo, n: number, variant: string): Formula {
  const { bytes, note } = hookBytes(info, variant);
  const remark = note === '' ? '' : ` (${note})`;
  if (n === 1) return formula([0], '0: one rank has nobody to average with');
  if (info.config.ddp.algorithm === 'naive') {
    const perDevice = Array.from({ length: n }, (_, rank) => (rank === 0 ? (n - 1) * bytes : bytes));
    return formula(perDevice, `rank 0 sends (N-1) × S, the others S; N = ${n}, S = ${bytes} B${remark}`, note === '');
  }
  // Whatever the algorithm: of N copies of an element N-1 are joined to others, and N-1 ranks are told the sum.
  const each = (2 * (n - 1) * bytes) / n;
  return formula(
    Array.from({ length: n }, () => each),
    `${allReduceText(info, n)}; N = ${n}, S = ${bytes} B${remark}`,
    false,
  );
}

function allReduceText({ config }: FormulaInfo, n: number): string {
  const nodes = Math.min(config.nodes, n);
  switch (config.ddp.algorithm) {
    case 'tree':
      return '2(N-1)/N × S: S up the tree and S down to each child';
    case 'doubleTree':
      return '2(N-1)/N × S: half of it in each of two trees';
    case 'halvingDoubling':
      return Number.isInteger(Math.log2(n))
        ? '2(N-1)/N × S: S/2, S/4 ... and back'
        : '2(N-1)/N × S: halves among a power of two of ranks, all of S for the others';
    case 'hierarchical':
      if (nodes === 1 || n % nodes !== 0) return '2(N-1)/N × S';
      return `2(L-1)/L × S inside nodes + 2(M-1)/M × S/L across; M = ${nodes} nodes of L = ${n / nodes}`;
    default:
      return '2(N-1)/N × S';
  }
}

/** Scatter of inputs, replicate, and scatter of output gradients leave device 0; outputs and gradients come back to it. */
function dataParallel(info: FormulaInfo, rows: readonly number[]): Formula {
  const { inputs } = info.dataset;
  const replicas = rows.slice(1).filter((count) => count > 0);
  const n = replicas.length + 1;
  if (n === 1)
    return formula(
      rows.map(() => 0),
      '0: the whole batch fits one chunk',
    );
  const bytes = parameterBytes(info);
  const output = widthAfter(info.config.model.layers, inputs);
  const away = sum(replicas);
  const root = (n - 1) * bytes + BYTES * away * (inputs + output);
  const perDevice = rows.map((count, device) => {
    if (device === 0) return root;
    return count > 0 ? bytes + BYTES * count * output : 0;
  });
  const text = `cuda:0 sends (n-1) × P + ${away} rows of ${inputs} inputs and ${output} output gradients, each replica P + its outputs; n = ${n}, P = ${bytes} B`;
  return formula(perDevice, text);
}

/** Every worker pulls the parameters and pushes as many gradients; all of it passes the server. */
function parameterServer(info: FormulaInfo, rows: readonly number[]): Formula {
  const workers = rows.filter((count) => count > 0).length;
  if (info.worldSize === 1) return formula([0], '0: the server trains by itself');
  const bytes = parameterBytes(info);
  const perDevice = rows.map((count, device) => (device === 0 ? workers * bytes : count > 0 ? bytes : 0));
  const text = `cuda:0 sends (N-1) × S and receives as much, each worker S; N-1 = ${workers} workers, S = ${bytes} B`;
  return formula(perDevice, text);
}

function modelParallel(info: FormulaInfo, rows: number): Formula {
  const { layers } = info.config.model;
  const stages = info.layersOfDevice;
  const borders = stages.slice(0, -1).map((_, d) => {
    const before = layers.slice(0, Math.max(-1, ...stages.slice(0, d + 1).flat()) + 1);
    return BYTES * rows * widthAfter(before, info.dataset.inputs);
  });
  if (borders.length === 0)
    return formula(
      stages.map(() => 0),
      '0: one device holds all layers',
    );
  const perDevice = stages.map((_, d) => (borders[d] ?? 0) + (borders[d - 1] ?? 0));
  return formula(
    perDevice,
    `each border: activations forward, as many gradients back; ${borders.map((b) => `${b} B`).join(', ')} each way`,
  );
}
