/**
 * The number of rows of each process in each micro-batch. With a DistributedSampler all processes have equally many
 * batches; with their own rows (uneven inputs) some run out before others. Micro-batches repeat after a period: an
 * epoch, or all epochs if one `with model.join()` is around them. Numbers only; batch-source.ts draws the rows,
 * training/step-kinds.ts asks which Programs there must be.
 */
import { at } from '../base/invariant';

/** The batches of one process's loader. */
export interface ProcessBatches {
  readonly rows: number;
  readonly batchSize: number;
  /** Batches per epoch. */
  readonly length: number;
}

export interface BatchSizes {
  readonly full: readonly number[];
  /** The short batch at the end of an epoch. */
  readonly last: readonly number[] | undefined;
  /** Other sizes, because ranks have run out or have short batches at different places: '8,0'. */
  readonly [name: string]: readonly number[] | undefined;
}

export interface BatchSchedule {
  /** Batches per epoch of the process with most. */
  readonly batchesPerEpoch: number;
  /** Batches of each process in a period. */
  readonly totals: readonly number[];
  /** Micro-batches after which all processes start again together. */
  readonly period: number;
  readonly sizes: BatchSizes;
  /** Key into `sizes`, if the run gets that far. */
  sizeAt(microBatch: number): string;
  /** Rows of each process, even if it would hang there. */
  rowsAt(microBatch: number): readonly number[];
  /** Runs of micro-batches of one size within a period, up to the one at which a process would hang without join. */
  readonly stretches: readonly { readonly from: number; readonly to: number }[];
  /** Epoch of a process in a micro-batch, and its batch in it; undefined when it has run out. */
  placeOf(process: number, microBatch: number): { readonly epoch: number; readonly batch: number } | undefined;
  /** Number of the process's batches before this micro-batch. */
  batchesBefore(process: number, microBatch: number): number;
}

/** `epochs`: of one period. `hangs`: a process that has run out does not shadow the others' collectives. */
export function batchSchedule(
  processes: readonly ProcessBatches[],
  { epochs, hangs }: { readonly epochs: number; readonly hangs: boolean },
): BatchSchedule {
  const batchesPerEpoch = Math.max(...processes.map((p) => p.length));
  const totals = processes.map((p) => p.length * epochs);
  const period = Math.max(1, batchesPerEpoch * epochs);
  const rowsOf = ({ length, rows, batchSize }: ProcessBatches, microBatch: number): number => {
    if (microBatch >= length * epochs) return 0;
    return Math.min(batchSize, rows - (microBatch % length) * batchSize);
  };
  const rowsAt = (microBatch: number): readonly number[] => processes.map((p) => rowsOf(p, microBatch % period));

  const full = rowsAt(0);
  const end = rowsAt(batchesPerEpoch - 1);
  const last = end.some((rows, r) => rows !== full[r]) && !end.includes(0) ? end : undefined;
  const nameOf = (rows: readonly number[]): string =>
    same(rows, full) ? 'full' : last && same(rows, last) ? 'last' : rows.join();
  const until = hangs ? Math.min(...totals) : period;
  // Within an epoch, sizes change only when a process has its last batch or has run out of batches.
  const ends = [...new Set(processes.flatMap(({ length }) => [length - 1, length]))];
  const changes = Array.from({ length: epochs }, (_, e) =>
    processes.flatMap((p) => ends.map((end) => e * p.length + end)),
  );
  const marks = [...new Set([0, until, period, ...changes.flat()])]
    .filter((m) => m >= 0 && m <= period)
    .sort((a, b) => a - b);
  const all = marks.slice(0, -1).map((from, i) => {
    const rows = rowsAt(from);
    return { from, to: at(marks, i + 1), rows, name: nameOf(rows) };
  });
  const stretches = all.filter(({ from }) => from < until);
  const stretchAt = (microBatch: number) => {
    const place = microBatch % period;
    let [first, last] = [0, all.length - 1];
    while (first < last) {
      const middle = (first + last + 1) >> 1;
      if (at(all, middle).from <= place) first = middle;
      else last = middle - 1;
    }
    return at(all, first);
  };
  return {
    batchesPerEpoch,
    totals,
    period,
    sizes: { ...Object.fromEntries(stretches.map(({ name, rows }) => [name, rows])), full, last },
    sizeAt: (microBatch) => stretchAt(microBatch).name,
    rowsAt: (microBatch) => stretchAt(microBatch).rows,
    stretches,
    placeOf(process, microBatch) {
      const { length } = at(processes, process);
      const own = microBatch % period;
      if (own >= length * epochs) return undefined;
      return { epoch: Math.floor(microBatch / period) * epochs + Math.floor(own / length), batch: own % length };
    },
    batchesBefore: (process, microBatch) =>
      Math.floor(microBatch / period) * at(totals, process) + Math.min(microBatch % period, at(totals, process)),
  };
}

const same = (a: readonly number[], b: readonly number[]): boolean => a.every((value, i) => value === b[i]);
