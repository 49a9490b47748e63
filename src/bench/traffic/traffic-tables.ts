/**
 * The counted traffic of a step (count-step.ts) as tables in Markdown: a row for each operator, kernel and shape, and
 * the sum of the step. Called by scripts/costs.mjs.
 */
import { at } from '../../base/invariant';
import type { OperatorTraffic } from './count-step';
import type { CountedDispatch } from './counting-gpu';

/** Equal computations of a step. */
export interface TrafficRow {
  readonly op: string;
  readonly kernels: readonly string[];
  readonly shapes: string;
  readonly launches: number;
  readonly read: number;
  readonly written: number;
  readonly least: number;
  /** Barriers per invocation, the most among the kernels. */
  readonly barriers: number;
  /** Memory of a workgroup, the most among the kernels; below, the workgroup's invocations. */
  readonly workgroupBytes: number;
  readonly invocations: number;
}

const kernelOf = ({ label }: CountedDispatch): string => at(label.split('('), 0);
const bytesOf = ({ read, written }: Pick<TrafficRow, 'read' | 'written'>): number => read + written;

/** The kernels in order; equal neighbours are merged with a count. */
function namesOf(dispatches: readonly CountedDispatch[]): string[] {
  const names: string[] = [];
  for (const name of dispatches.map(kernelOf)) if (names.at(-1) !== name) names.push(name);
  return names;
}

export function rowsOf(traffic: readonly OperatorTraffic[]): TrafficRow[] {
  const rows = new Map<string, TrafficRow>();
  for (const { op, shapes, dispatches, least } of traffic) {
    if (dispatches.length === 0) continue;
    const kernels = namesOf(dispatches);
    const key = [op, shapes, ...kernels].join('|');
    const before = rows.get(key);
    const sum = (of: (each: CountedDispatch) => number) => dispatches.reduce((total, each) => total + of(each), 0);
    const shared = dispatches.reduce((most, each) => (each.workgroupBytes > most.workgroupBytes ? each : most));
    const [x, y, z] = shared.workgroups;
    rows.set(key, {
      ...{ op, kernels, shapes },
      launches: (before?.launches ?? 0) + dispatches.length,
      read: (before?.read ?? 0) + sum(({ read, table }) => read + table),
      written: (before?.written ?? 0) + sum(({ written }) => written),
      least: (before?.least ?? 0) + least,
      barriers: Math.max(...dispatches.map(({ barriers }) => barriers)),
      workgroupBytes: shared.workgroupBytes,
      invocations: Math.round(shared.invocations / (x * y * z)),
    });
  }
  return [...rows.values()].sort((a, b) => bytesOf(b) - b.least - (bytesOf(a) - a.least));
}

const kilobytes = (bytes: number): string =>
  (bytes / 1000).toLocaleString('en', { maximumFractionDigits: bytes < 10_000 ? 1 : 0 });
const ratio = (row: TrafficRow): string => (bytesOf(row) / row.least).toFixed(2);
const KIB = 1024;

/** The number of workgroups whose memory fits in 16 and in 32 KiB, and their invocations. */
function occupancy({ workgroupBytes, invocations }: TrafficRow): string {
  if (workgroupBytes === 0) return '';
  const fit = [16, 32].map((budget) => Math.floor((budget * KIB) / workgroupBytes));
  return fit.map((count) => `${count} x ${invocations}`).join(', ');
}

const HEAD = [
  'operator: kernels',
  'operands -> results',
  'launches',
  'read, kB',
  'written, kB',
  'least, kB',
  'ratio',
  'barriers',
  'workgroup memory, bytes',
  'workgroups in 16, 32 KiB',
];
const ALIGN = ['---', '---', ...Array.from({ length: HEAD.length - 3 }, () => '---:'), '---'];
const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** Rows with less than this share of a step's bytes are merged into one row. */
const SMALL = 0.002;

export function trafficTable(rows: readonly TrafficRow[]): string {
  const total = rows.reduce((sum, row) => sum + bytesOf(row), 0);
  const [large, small] = [true, false].map((wanted) => rows.filter((row) => bytesOf(row) >= SMALL * total === wanted));
  const cells = (row: TrafficRow, title: string, shapes: string) => [
    ...[title, shapes, row.launches, kilobytes(row.read), kilobytes(row.written), kilobytes(row.least), ratio(row)],
    ...[row.barriers === 0 ? '' : Number(row.barriers.toFixed(1)), row.workgroupBytes || '', occupancy(row)],
  ];
  const lines = (large ?? []).map((row) => line(cells(row, `${row.op}: ${row.kernels.join(', ')}`, row.shapes)));
  const sums = [
    ...((small ?? []).length > 0 ? [line(cells(sumOf(small ?? []), `${small?.length} others`, ''))] : []),
    line(cells(sumOf(rows), 'all', '')),
  ];
  return [line(HEAD), `|${ALIGN.join('|')}|`, ...lines, ...sums].join('\n');
}

function sumOf(rows: readonly TrafficRow[]): TrafficRow {
  const sum = (of: (row: TrafficRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    ...{ op: '', kernels: [], shapes: '', barriers: 0, workgroupBytes: 0, invocations: 0 },
    ...{ launches: sum(({ launches }) => launches), read: sum(({ read }) => read) },
    ...{ written: sum(({ written }) => written), least: sum(({ least }) => least) },
  };
}

/** Families of kernels, by how their paths begin. */
const FAMILIES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['products', /^(ops\/linear|ops\/matmul|fused\/linear)/],
  ['attention', /^attention/],
  ['norms, softmax and losses', /^(norm|loss|ops\/(log-)?softmax|fused\/element-loss|optim\/(total|clip))/],
  ['convolutions', /^conv\/conv/],
];

/** For each family, the read and written bytes beside the least bytes, and the largest ratio of a row. */
export function familiesOf(rows: readonly TrafficRow[]): readonly (readonly [string, TrafficRow, number])[] {
  return FAMILIES.flatMap(([name, pattern]) => {
    const own = rows.filter(({ op }) => pattern.test(op));
    if (own.length === 0) return [];
    return [[name, sumOf(own), Math.max(...own.map((row) => bytesOf(row) / row.least))] as const];
  });
}

export function familyLines(title: string, rows: readonly TrafficRow[]): string[] {
  return familiesOf(rows).map(([name, sum, worst]) =>
    line([title, name, sum.launches, kilobytes(bytesOf(sum)), kilobytes(sum.least), ratio(sum), worst.toFixed(2)]),
  );
}

export const FAMILY_HEAD = [
  line(['run', 'family', 'launches', 'moved, kB', 'least, kB', 'ratio', 'largest ratio of a row']),
  '|---|---|---:|---:|---:|---:|---:|',
].join('\n');
