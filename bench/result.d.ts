/** The result of a run of the benchmark: .cache/bench.json. */
import type { StudyResult } from './studies/study';

export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: readonly number[];
}

export interface Figure {
  readonly workload: string;
  readonly contender: string;
  /** Absent if `problem` says why. */
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

/** This build of Lockstep compared with another build (against-figures.mjs). */
export interface AgainstFigure {
  readonly workload: string;
  readonly contender: string;
  /** Steps per second of this checkout divided by those of the other checkout: median of the rounds. */
  readonly ratio?: number;
  readonly quartiles?: readonly [low: number, high: number];
  readonly problem?: string;
}

export interface PresetFigure {
  readonly title: string;
  readonly firstStepMs?: number;
  readonly peakBytes?: number;
  readonly problem?: string;
}

export interface StudyFigure {
  readonly id: string;
  readonly title: string;
  readonly result?: StudyResult;
  readonly problem?: string;
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
    /** The rooms are on the stage. */
    readonly firstStageMs: number;
    readonly playMs: number;
    /** Something on the stage moves. */
    readonly firstPictureMs: number;
    readonly playing: readonly PlayingFigure[];
    readonly firstLoadKilobytes: number;
    readonly pageKilobytes: number;
    readonly workersKilobytes: number;
    /** The time until Play can be pressed over a slow connection (first-load.mjs). */
    readonly narrowPlayMs: number;
  };
  readonly studies?: readonly StudyFigure[];
  /** The measurements that failed, and why. */
  readonly notes?: readonly string[];
}

/** The page while a run plays at full speed for five seconds. */
export interface PlayingFigure {
  readonly id: string;
  readonly name: string;
  readonly framesPerSecond: number;
  readonly longestGapMs: number;
  /** Tasks over 50 ms on the main thread. */
  readonly longTasks: number;
  readonly longestTaskMs: number;
}
