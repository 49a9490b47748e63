/**
 * The output of nccl-tests (all_reduce_perf and its relatives), of rccl-tests, and of `lockstep collectives`, which
 * prints the same columns. The header names the columns, which differ between versions. Other lines (logs of NCCL or
 * mpirun) are skipped. Called by `file-reader.ts`.
 */
import { brief, firstFew } from '../../base/brief';
import { LockstepError } from '../../base/errors';
import { BUS_FACTOR } from '../../protocol/bus-factor';
import type { RecordingNotice } from '../imported';
import type { CollectivesTable, CollectivesTableRow, TableTiming } from './collectives-table';

/** The columns' names in the header, including old ones. */
const SIZE = new Set(['size', 'bytes']);
const COUNT = new Set(['count', 'n']);
const REDUCE = new Set(['redop', 'op']);
const WRONG = new Set(['#wrong', 'error', 'res']);

export interface ReadTable {
  readonly table: CollectivesTable;
  readonly notices: readonly RecordingNotice[];
}

export function readNcclTable(file: string, text: string): ReadTable {
  const said = linesOf(text);
  const lines = said.map(({ line }) => line);
  const isOurs = lines.some((line) => /\bmeasured\b/.test(line) && /\bmodelled\b/.test(line));
  const labels: readonly TableTiming['label'][] = isOurs ? ['measured', 'modelled'] : ['out-of-place', 'in-place'];
  const rows: CollectivesTableRow[] = [];
  const notices: RecordingNotice[] = [];
  let header: Header | undefined;
  let refused = 0;
  for (const { line, number } of said) {
    const cells = line
      .replace(/^[|\s]+/, '')
      .trim()
      .split(/[\s|]+/);
    const names = headerOf(cells);
    if (names) {
      header = columnsOf(names, labels);
      continue;
    }
    if (!header || !/^\d+$/.test(cells[0] ?? '') || cells.length < 6) continue;
    const row = rowOf(cells, header);
    if (row) rows.push(row);
    else if (refused++ === 0) {
      const wanted = `${header.names.length} columns (${firstFew(header.names, 16, ' ')})`;
      const note = `This line begins like a row, but lacks the ${wanted}, so it is left out.`;
      notices.push({ level: 'warning', text: note, place: { file, line: number } });
    }
  }
  if (!header || rows.length === 0) {
    const what = header
      ? 'has a header of nccl-tests and no row'
      : 'has no header of nccl-tests ("size count type ...")';
    throw new LockstepError(
      'data',
      `The table ${what}.`,
      "Give the whole output of nccl-tests, including the lines that begin with '#'.",
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

/** Shorter lines are neither a header nor a row, and a file may be millions of them. */
const LEAST_LINE = 6;

/** The lines with their numbers, from 1. */
function linesOf(text: string): readonly { readonly line: string; readonly number: number }[] {
  const found: { line: string; number: number }[] = [];
  let number = 0;
  for (let from = 0; from < text.length; number++) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    if (to - from >= LEAST_LINE) found.push({ line: text.slice(from, to), number: number + 1 });
    from = to + 1;
  }
  return found;
}

/** '#' before a name is a comment sign, before "wrong" a part of it. */
function headerOf(cells: readonly string[]): readonly string[] | undefined {
  const names = cells.filter((cell) => cell !== '#').map((cell) => cell.replace(/^#(?!wrong)/i, '').toLowerCase());
  return SIZE.has(names[0] ?? '') && names.includes('algbw') && names.includes('busbw') ? names : undefined;
}

/** The column of each value in a row. */
interface Header {
  readonly names: readonly string[];
  at(names: ReadonlySet<string>): number;
  readonly timings: readonly {
    readonly label: TableTiming['label'];
    readonly time: number;
    readonly algorithm: number;
    readonly bus: number;
    readonly wrong: number;
  }[];
}

/** -1: no such column. A table has at most two times; further times have no label. */
function columnsOf(names: readonly string[], labels: readonly TableTiming['label'][]): Header {
  const starts = names.flatMap((name, index) => (name === 'time' ? [index] : [])).slice(0, labels.length + 1);
  const timings = labels.slice(0, starts.length).map((label, index) => {
    const from = starts[index] ?? 0;
    const own = names.slice(from, starts[index + 1] ?? names.length);
    const find = (of: ReadonlySet<string>): number => {
      const column = own.findIndex((name) => of.has(name));
      return column < 0 ? -1 : from + column;
    };
    const wrong = names.includes('#wrong') ? find(WRONG) : -1;
    return { label, time: from, algorithm: find(ALGBW), bus: find(BUSBW), wrong };
  });
  const at = (of: ReadonlySet<string>): number => names.findIndex((name) => of.has(name));
  const known = new Map<ReadonlySet<string>, number>([SIZE, COUNT, TYPE, REDUCE, ROOT].map((of) => [of, at(of)]));
  return { names, at: (of) => known.get(of) ?? -1, timings };
}

function rowOf(cells: readonly string[], header: Header): CollectivesTableRow | undefined {
  if (cells.length < header.names.length) return undefined;
  const at = (names: ReadonlySet<string>): string => cells[header.at(names)] ?? '';
  const timings = header.timings.map(({ label, time, algorithm, bus, wrong }) => {
    const count = Number(cells[wrong] ?? Number.NaN);
    return {
      label,
      timeUs: Number(cells[time]),
      algorithmBandwidth: Number(cells[algorithm]),
      busBandwidth: Number(cells[bus]),
      wrong: Number.isInteger(count) ? count : undefined,
    };
  });
  const isRead = timings.every(({ timeUs, algorithmBandwidth, busBandwidth }) =>
    [timeUs, algorithmBandwidth, busBandwidth].every(Number.isFinite),
  );
  const [bytes, count, root] = [Number(at(SIZE)), Number(at(COUNT)), Number(at(ROOT) || '-1')];
  if (!isRead || timings.length === 0 || !Number.isFinite(bytes) || !Number.isFinite(count)) return undefined;
  return {
    bytes,
    count,
    dtype: brief(at(TYPE)),
    reduceOp: brief(at(REDUCE)),
    root: Number.isFinite(root) ? root : -1,
    timings,
  };
}

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

/**
 * The number of ranks: from "# Rank 7 Group 0 Pid ..." the highest plus one, or from "# all_reduce by ring: 4 ranks
 * over ...".
 */
function ranksIn(lines: readonly string[]): number | undefined {
  const highest = lines.reduce(
    (most, line) => Math.max(most, Number(/^[#\s]*Rank\s+(\d{1,9})\b/.exec(line)?.[1] ?? -1)),
    -1,
  );
  if (highest >= 0) return highest + 1;
  const said = lines.map((line) => /^# \w+ by .*: (\d+) ranks\b/.exec(line)?.[1]).find((found) => found !== undefined);
  return said === undefined ? undefined : Number(said);
}
