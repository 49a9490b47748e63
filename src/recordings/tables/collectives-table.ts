/** A table of collectives' times over sizes, which `nccl-table.ts` and `lockstep-report.ts` read. */
import type { CollectiveKind } from '../recording';

/** nccl-tests' output, or that of `lockstep collectives`. */
export interface CollectivesTable {
  readonly file: string;
  readonly tool: 'nccl-tests' | 'lockstep collectives';
  /** "all_reduce"; '' if the file does not name it. */
  readonly kind: CollectiveKind;
  readonly ranks: number | undefined;
  readonly rows: readonly CollectivesTableRow[];
}

export interface CollectivesTableRow {
  readonly bytes: number;
  readonly count: number;
  readonly dtype: string;
  readonly reduceOp: string;
  /** The root rank; -1: none. */
  readonly root: number;
  /** nccl-tests: out-of-place, in-place. lockstep: measured, modelled. */
  readonly timings: readonly TableTiming[];
}

export interface TableTiming {
  readonly label: 'out-of-place' | 'in-place' | 'measured' | 'modelled';
  readonly timeUs: number;
  /** GB/s. */
  readonly algorithmBandwidth: number;
  readonly busBandwidth: number;
  /** Undefined: not checked. */
  readonly wrong: number | undefined;
}
