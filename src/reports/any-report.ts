/**
 * A report from Lockstep or from anywhere else, in the one form that comparing needs. read-report.ts makes it. Numbers
 * that are not finite are NaN or infinite here.
 */

export interface AnyReport {
  /** The file, or 'this run'. */
  readonly name: string;
  /** 'Lockstep 0.1.0', 'pytorch 1.13.0 on cpu'; '' if the report does not name its maker. */
  readonly madeBy: string;
  /** The engine's version, '1.13.0a0', if another program than Lockstep computed the run. */
  readonly engineVersion: string | undefined;
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly losses: readonly LossRow[];
  /** The final weights. */
  readonly weights: ReadonlyMap<string, ReportTensor> | undefined;
  readonly hashes: ReadonlyMap<string, string> | undefined;
  readonly history: readonly HistoryRow[] | undefined;
  /** The payload of a step's collectives in bytes, by kind. */
  readonly payload: ReadonlyMap<string, number> | undefined;
  /** Peak of each device, in bytes. */
  readonly memory: readonly number[] | undefined;
  /** For a pipeline schedule: its bubble, 0 to 1, and the most activations that each rank keeps. */
  readonly pipeline: { readonly bubble: number | undefined; readonly peaks: readonly number[] } | undefined;
  readonly stepsPerSecond: number | undefined;
}

/** The loss of a micro-batch, or, if the report has nothing finer, of a step. */
export interface LossRow {
  readonly step: number;
  readonly microBatch: number;
  /** -1: not in the report. */
  readonly epoch: number;
  readonly loss: number;
  readonly perRank: readonly number[];
}

export interface ReportTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array;
}

export interface HistoryRow {
  readonly step: number;
  readonly parameters: ReadonlyMap<string, Sample>;
  readonly gradients: ReadonlyMap<string, Sample>;
}

export interface Sample {
  readonly norm: number;
  readonly values: readonly number[];
}
