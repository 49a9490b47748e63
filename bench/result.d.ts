/** What a run of the bench found: .cache/bench.json. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: readonly number[];
}

export interface Figure {
  readonly workload: string;
  readonly contender: string;
  /** Absent where `problem` says why. */
  readonly summary?: Summary;
  readonly problem?: string;
}

export interface WorkloadInfo {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
}

export interface ContenderInfo {
  readonly id: string;
  readonly title: string;
  readonly library: string;
  readonly backend: string;
}

export interface PresetFigure {
  readonly title: string;
  readonly firstStepMs?: number;
  readonly peakBytes?: number;
  readonly problem?: string;
}

export interface AllReduceFigure {
  readonly ranks: number;
  readonly bucketBytes: number;
  readonly sentBytes: number;
  readonly milliseconds: number;
  readonly copyMilliseconds: number;
}

export interface Result {
  readonly date: string;
  readonly machine: string;
  readonly runtime: string;
  readonly adapter: string;
  readonly workloads: readonly WorkloadInfo[];
  readonly contenders: readonly ContenderInfo[];
  readonly figures: readonly Figure[];
  readonly presets: readonly PresetFigure[];
  readonly page?: {
    readonly firstPaintMs: number;
    readonly firstPictureMs: number;
    readonly longTasks: number;
    readonly longestTaskMs: number;
    readonly firstLoadKilobytes: number;
  };
  readonly allReduce?: AllReduceFigure;
  /** What could not be measured, and why. */
  readonly notes?: readonly string[];
}
