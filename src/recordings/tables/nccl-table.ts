/**
 * The output of nccl-tests (all_reduce_perf and its relatives), of rccl-tests, and of `lockstep collectives`, which
 * prints the same columns. The header says which columns there are: they differ between versions. Other lines (NCCL's
 * log, mpirun's) are passed over. Called by `file-reader.ts`.
 */
import { LockstepError } from '../../base/errors';
import { BUS_FACTOR } from '../../protocol/bus-factor';
import type { RecordingNotice } from '../imported';
import type { CollectivesTable, CollectivesTableRow, TableTiming } from './collectives-table';

/** The columns' names in the header, older ones as well. */
const SIZE = new Set(['size', 'bytes']);
const COUNT = new Set(['count', 'n']);
const REDUCE = new Set(['redop', 'op']);
const WRONG = new Set(['#wrong', 'error', 'res']);

export interface ReadTable {
  readonly table: CollectivesTable;
  readonly notices: readonly RecordingNotice[];
}

export function readNcclTable(file: string, text: string): ReadTable {
  const lines = text.split(/\r?\n/);
  const isOurs = lines.some((line) => /\bmeasured\b/.test(line) && /\bmodelled\b/.test(line));
  const labels: readonly TableTiming['label'][] = isOurs ? ['measured', 'modelled'] : ['out-of-place', 'in-place'];
  const rows: CollectivesTableRow[] = [];
  const notices: RecordingNotice[] = [];
  let header: readonly string[] | undefined;
  let refused = 0;
  for (const [index, line] of lines.entries()) {
    const cells = line
      .replace(/^[|\s]+/, '')
      .trim()
      .split(/[\s|]+/);
    const names = headerOf(cells);
    if (names) {
      header = names;
      continue;
    }
    if (!header || !/^\d+$/.test(cells[0] ?? '') || cells.length < 6) continue;
    const row = rowOf(cells, header, labels);
    if (row) rows.push(row);
    else if (refused++ === 0) {
      const wanted = `${header.length} columns (${header.join(' ')})`;
      const note = `It begins as a row, but has not the ${wanted}: left out.`;
      notices.push({ level: 'warning', text: note, place: { file, line: index + 1 } });
    }
  }
  if (!header || rows.length === 0) {
    const what = header
      ? 'has a header of nccl-tests and no row'
      : 'has no header of nccl-tests ("size count type ...")';
    throw new LockstepError(
      'data',
      `It ${what}.`,
      "Give the whole output of nccl-tests, with the lines that begin with '#'.",
    );
  }
  const table: CollectivesTable = {
    file,
    tool: isOurs ? 'lockstep collectives' : 'nccl-tests',
    kind: kindIn(text, file),
    ranks: ranksIn(lines),
    rows,
  };
  return { table, notices };
}

/** '#' before a name is a comment sign, before "wrong" a part of it. */
function headerOf(cells: readonly string[]): readonly string[] | undefined {
  const names = cells.filter((cell) => cell !== '#').map((cell) => cell.replace(/^#(?!wrong)/i, '').toLowerCase());
  return SIZE.has(names[0] ?? '') && names.includes('algbw') && names.includes('busbw') ? names : undefined;
}

function rowOf(
  cells: readonly string[],
  header: readonly string[],
  labels: readonly TableTiming['label'][],
): CollectivesTableRow | undefined {
  if (cells.length < header.length) return undefined;
  const at = (names: ReadonlySet<string>): string => cells[header.findIndex((name) => names.has(name))] ?? '';
  const starts = header.flatMap((name, index) => (name === 'time' ? [index] : []));
  const timings = starts.map((from, index) => {
    const until = starts[index + 1] ?? header.length;
    const find = (names: ReadonlySet<string>): string | undefined => {
      const column = header.findIndex((name, k) => k >= from && k < until && names.has(name));
      return column < 0 ? undefined : cells[column];
    };
    const wrong = Number(header.includes('#wrong') ? (find(WRONG) ?? Number.NaN) : Number.NaN);
    return {
      label: labels[index] ?? 'in-place',
      timeUs: Number(find(TIME)),
      algorithmBandwidth: Number(find(ALGBW)),
      busBandwidth: Number(find(BUSBW)),
      wrong: Number.isInteger(wrong) ? wrong : undefined,
    };
  });
  const isRead = timings.every(({ timeUs, algorithmBandwidth, busBandwidth }) =>
    [timeUs, algorithmBandwidth, busBandwidth].every(Number.isFinite),
  );
  const [bytes, count, root] = [Number(at(SIZE)), Number(at(COUNT)), Number(at(ROOT) || '-1')];
  if (!isRead || timings.length === 0 || !Number.isFinite(bytes) || !Number.isFinite(count)) return undefined;
  return { bytes, count, dtype: at(TYPE), reduceOp: at(REDUCE), root: Number.isFinite(root) ? root : -1, timings };
}

const TIME = new Set(['time']);
const ALGBW = new Set(['algbw']);
const BUSBW = new Set(['busbw']);
const TYPE = new Set(['type']);
const ROOT = new Set(['root']);

/** "# Collective test starting: all_reduce_perf", a command line, "# all_reduce by ring", or the name of the file. */
function kindIn(text: string, file: string): string {
  const ours = /^# (\w+) by \w+/m.exec(text)?.[1];
  const tested =
    /\b(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|reduce|gather|scatter|sendrecv)_perf/;
  const found = tested.exec(text)?.[1] ?? tested.exec(file)?.[1];
  const word = ours ?? found ?? '';
  const known = Object.keys(BUS_FACTOR).map((name) => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`));
  return known.find((name) => name.replaceAll('_', '') === word.replaceAll('_', '')) ?? word;
}

/** "#  Rank  7 Group  0 Pid ...": the highest and one; "# all_reduce by ring: 4 ranks over ..." says it. */
function ranksIn(lines: readonly string[]): number | undefined {
  const listed = lines.flatMap((line) => /^[#\s]*Rank\s+(\d+)\b/.exec(line)?.[1] ?? []).map(Number);
  if (listed.length > 0) return Math.max(...listed) + 1;
  const said = lines.map((line) => /^# \w+ by .*: (\d+) ranks\b/.exec(line)?.[1]).find((found) => found !== undefined);
  return said === undefined ? undefined : Number(said);
}
