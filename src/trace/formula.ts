/**
 * The closed form of what a mode sends in a step, from the sizes of the model (SessionInfo.transfers) and not from the
 * trace: the yardstick beside the counted bytes. It speaks of what the mode is about; spokenOf says which transfers
 * those are. Pure; called by metrics.ts, the result panel and the report.
 */
import { unreachable } from '../base/invariant';
import type { SessionInfo } from '../protocol/session';
import { fullStep, hasMicroBatch, type StepKind } from '../protocol/step-kind';
import type { TraceEvent } from '../protocol/trace';
import { hookBytes } from './hook-bytes';

export interface Formula {
  /**
   * Bytes sent a step by each device; or, where not exact, their mean: chunks are rounded to elements, and ranks of a
   * tree have unlike shares.
   */
  readonly perDevice: readonly number[];
  readonly total: number;
  /** The value is exact for each device, not only as a mean over them. */
  readonly exact: boolean;
  /** e.g. '2(N-1)/N × S, N = 4, S = 484 B'. */
  readonly text: string;
}

type FormulaInfo = Pick<SessionInfo, 'config' | 'worldSize' | 'parameters' | 'batchPerRank' | 'transfers'> &
  Partial<Pick<SessionInfo, 'buckets'>>;

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

function formula(perDevice: readonly number[], text: string, exact = true): Formula {
  return { perDevice, total: sum(perDevice), exact, text };
}

/** `rows`: samples on each device in the step meant; a full step's by default. `kind`: what it is. */
export function bytesFormula(
  info: FormulaInfo,
  rows: readonly number[] = info.batchPerRank,
  kind: StepKind = fullStep(rows),
): Formula {
  const { config } = info;
  switch (config.mode) {
    case 'single':
      return formula([0], '0: one device sends nothing');
    case 'ddp':
      return kind.type === 'construct' ? ddpConstructor(info) : ddp(info, kind);
    case 'dataParallel':
      return dataParallel(info, rows);
    case 'modelParallel':
      return modelParallel(info, rows[0] ?? 0);
    case 'parameterServer':
      return parameterServer(info, rows, kind);
    default:
      return unreachable(config.mode);
  }
}

/**
 * Whether the closed form speaks of a transfer. It leaves out what clipping exchanges, and under DDP all but the
 * buckets and the parameters that local SGD averages: buffers, SyncBatchNorm's sums, the used map, join's counts.
 */
export function isSpoken(
  { config }: Pick<SessionInfo, 'config'>,
  kind: StepKind,
  { anchor, bucket, collective, payload }: Pick<TraceEvent, 'anchor' | 'bucket' | 'collective' | 'payload'>,
): boolean {
  if (config.mode !== 'ddp' || kind.type === 'construct') return anchor !== 'clip';
  return bucket !== undefined || (collective?.op === 'allReduce' && payload === 'parameter' && anchor === 'average');
}

function ddpConstructor({ worldSize: n, transfers: { parameterBytes, bufferBytes } }: FormulaInfo): Formula {
  const bytes = parameterBytes + bufferBytes;
  const perDevice = Array.from({ length: n }, (_, rank) => (rank === 0 ? (n - 1) * bytes : 0));
  return formula(perDevice, `rank 0 sends (N-1) × (parameters and buffers); N = ${n}, ${bytes} B`);
}

function ddp(info: FormulaInfo, kind: StepKind): Formula {
  const { worldSize: n, config } = info;
  if (n === 1) return formula([0], '0: one rank has nobody to average with');
  if (!hasMicroBatch(kind, ({ reduces }) => reduces))
    return formula(
      Array.from({ length: n }, () => 0),
      '0: under no_sync() gradients stay on their rank',
    );
  const { bytes, note } = hookBytes(info, kind);
  const remark = note === '' ? '' : ` (${note})`;
  if (config.ddp.algorithm === 'naive') {
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
      return 'S up to the parent (not the root) and S down to each child; on average 2(N-1)/N × S';
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

/** 'P + B' where there are running statistics, and what the letters stand for. */
function stateText({ parameterBytes, gradientBytes, bufferBytes }: FormulaInfo['transfers']) {
  const buffers = bufferBytes > 0;
  const sizes = [
    `P = ${parameterBytes} B of parameters`,
    ...(gradientBytes === parameterBytes ? [] : [`G = ${gradientBytes} B of gradients`]),
    ...(buffers ? [`B = ${bufferBytes} B of running statistics`] : []),
  ];
  return {
    state: buffers ? '(P + B)' : 'P',
    gradients: gradientBytes === parameterBytes ? 'P' : 'G',
    sizes: sizes.join(', '),
  };
}

/**
 * Scatter of inputs, replicate, and scatter of output gradients leave device 0; outputs and gradients come back to it.
 */
function dataParallel({ transfers }: FormulaInfo, rows: readonly number[]): Formula {
  const { parameterBytes, gradientBytes, bufferBytes, inputRowBytes, outputRowBytes } = transfers;
  const replicas = rows.slice(1).filter((count) => count > 0);
  const n = replicas.length + 1;
  if (n === 1)
    return formula(
      rows.map(() => 0),
      '0: the whole batch fits one chunk',
    );
  const away = sum(replicas);
  const root = (n - 1) * (parameterBytes + bufferBytes) + away * (inputRowBytes + outputRowBytes);
  const perDevice = rows.map((count, device) => {
    if (device === 0) return root;
    return count > 0 ? gradientBytes + count * outputRowBytes : 0;
  });
  const { state, gradients, sizes } = stateText(transfers);
  const text = `cuda:0 sends (n-1) × ${state} + ${away} rows of ${inputRowBytes} B of inputs and ${outputRowBytes} B of output gradients, each replica ${gradients} + its outputs; n = ${n}, ${sizes}`;
  return formula(perDevice, text);
}

/** Every worker pulls parameters and running statistics and pushes gradients; all of it passes the server. */
function parameterServer(
  { config, worldSize, transfers }: FormulaInfo,
  rows: readonly number[],
  kind: StepKind,
): Formula {
  const { parameterBytes, gradientBytes, bufferBytes } = transfers;
  if (worldSize === 1) return formula([0], '0: the server trains by itself');
  const { synchronous } = config.parameterServer;
  const workers = rows.flatMap((count, device) => (count > 0 && device > 0 ? [device] : []));
  const pulls = !synchronous || hasMicroBatch(kind, ({ gradients }) => gradients === 'set');
  const pushes = !synchronous || (kind.type === 'training' && kind.steps);
  const perDevice = rows.map((count, device) => {
    if (device === 0) return pulls ? workers.length * (parameterBytes + bufferBytes) : 0;
    if (count === 0 || !pushes) return 0;
    // Running statistics come from the first worker, or from each in its turn.
    return gradientBytes + (!synchronous || device === workers[0] ? bufferBytes : 0);
  });
  const { state, gradients, sizes } = stateText(transfers);
  const statistics = bufferBytes === 0 ? '' : synchronous ? ', the first one B, too' : ' + B';
  const text = `cuda:0 sends W × ${state}, each worker ${gradients}${statistics}; W = ${workers.length} workers, ${sizes}`;
  return formula(perDevice, text);
}

function modelParallel({ worldSize, transfers }: FormulaInfo, rows: number): Formula {
  const borders = transfers.borderRowBytes.map((bytes) => bytes * rows);
  const perDevice = Array.from({ length: worldSize }, (_, d) => (borders[d] ?? 0) + (borders[d - 1] ?? 0));
  if (borders.length === 0) return formula(perDevice, '0: one device holds all layers');
  return formula(
    perDevice,
    `each border: activations forward, as many gradients back; ${borders.map((b) => `${b} B`).join(', ')} each way`,
  );
}
