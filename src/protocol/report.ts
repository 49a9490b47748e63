/** What a headless run writes; the same from the page and from the command line. Types, and one number. */
import type { WireError } from '../base/errors';
import type { AlgorithmName } from './collective';
import type { Config } from './config';
import type { Notice } from './notice';
import type { ScheduleName } from './pipeline';
import type { Backend, LaunchPlan } from './process-group';
import type { DeviceReport } from './session-info';
import type { DeviceMemory, LossRecord, Rank } from './trace';

export interface Report {
  readonly lockstep: string;
  /** Absent: Lockstep itself. */
  readonly engine?: EngineReport;
  readonly config: Config;
  readonly device: DeviceReport;
  /** Optimizer steps that this run has taken: without those before the checkpoint that it resumed from. */
  readonly steps: number;
  /** Of every micro-batch: `accumulate` to a step. */
  readonly losses: readonly LossRecord[];
  readonly finalLoss: number;
  readonly testLoss?: number;
  readonly accuracy?: number;
  /** If asked for (`--eval`): with the final weights, after model.eval(), over all rows of each part. */
  readonly evaluation?: { readonly train: RowsEvaluation; readonly test?: RowsEvaluation };
  readonly bytes: {
    /** Bytes sent in the last step by payload kind, and per link 'cuda:0->cuda:1'. */
    readonly perStepByPayload: Readonly<Record<string, number>>;
    readonly perStepByLink: Readonly<Record<string, number>>;
    readonly perRankFormula: string;
    readonly perRank: readonly number[];
    readonly total: number;
    /**
     * Payload of the collectives of a usual step, by kind ('all_reduce'): what rank 0 brings to each, whatever the
     * algorithm then sends.
     */
    readonly payloadPerStep?: Readonly<Record<string, number>>;
  };
  readonly memory: readonly DeviceMemory[];
  /** Of a pipeline: what its schedule costs. */
  readonly pipeline?: PipelineReport;
  readonly time: {
    readonly clock: string;
    readonly measuredTotalMs: number;
    readonly measuredStepsPerSecond: number;
    readonly modelledStepUs: number;
    readonly modelledHardware: string;
    readonly modelledSpeedup: number;
  };
  readonly replicaDivergence: number;
  /** Where processes are ranks of a group. */
  readonly processGroup?: ProcessGroupReport;
  /** Under torchrun or srun: the processes as the line starts them. */
  readonly launch?: LaunchPlan;
  readonly differenceFromSingle?: number;
  /** SHA-256 of the final weights: every parameter's float32 little-endian bytes, in state_dict order. */
  readonly weightsSha256: string;
  readonly parametersSha256: Readonly<Record<string, string>>;
  /** The final state_dict, where it was asked for. */
  readonly weights?: Readonly<Record<string, TensorRecord>>;
  /** What parameters and gradients were after the first steps, where it was asked for. */
  readonly history?: readonly StepRecord[];
  readonly notices: readonly Notice[];
  readonly error?: WireError;
}

/**
 * Counted in units of the schedule: a forward takes 1, a backward 2 (its halves I and W 1 each), a message nothing. By
 * formula where one is known for the schedule and its size: P ranks, L stages per rank, M micro-batches, r the rank.
 */
export interface PipelineReport {
  /** 'own': none of torch's. */
  readonly schedule: ScheduleName | 'own';
  readonly ranks: number;
  readonly stages: number;
  readonly microBatches: number;
  readonly makespan: { readonly counted: number; readonly byFormula?: ReportedFormula };
  /** Share of ranks x makespan in which a rank is idle: 0 to 1. */
  readonly bubble: { readonly counted: number; readonly byFormula?: ReportedFormula };
  /** By rank: the most activations, of a stage and micro-batch, that it keeps at once. */
  readonly peakActivations: {
    readonly counted: readonly number[];
    readonly byFormula?: { readonly values: readonly number[]; readonly formula: string };
  };
}

interface ReportedFormula {
  readonly value: number;
  readonly formula: string;
}

/** What a report holds only where it is asked for. */
export interface RecordOptions {
  /** Parameters and gradients after so many steps of the optimizer. */
  readonly history?: number;
  /** The final state_dict. */
  readonly weights?: boolean;
}

/** Who else computed a run. */
export interface EngineReport {
  /** 'pytorch'. */
  readonly name: string;
  readonly version: string;
  /** 'gloo', 'nccl'; absent: one process. */
  readonly backend?: string;
  /** 'cpu', 'cuda'. */
  readonly device: string;
}

/** float32, row-major, little-endian: in base64. */
export interface TensorRecord {
  readonly shape: readonly number[];
  readonly float32: string;
}

/**
 * After a step of the optimizer: the parameters that it made, and the gradients that it used (reduced over ranks,
 * clipped: what `.grad` holds when optimizer.step() returns). A parameter without a gradient is not in `gradients`.
 */
export interface StepRecord {
  /** From 0. */
  readonly step: number;
  readonly parameters: Readonly<Record<string, TensorSample>>;
  readonly gradients: Readonly<Record<string, TensorSample>>;
}

/**
 * Enough of a tensor of n elements to see where two runs part: its L2 norm, and its elements at floor(i * n / k) for i
 * below k = min(n, SAMPLED_ELEMENTS), row-major. Not finite numbers are null in JSON.
 */
export interface TensorSample {
  readonly norm: number | null;
  readonly sample: readonly (number | null)[];
}

export const SAMPLED_ELEMENTS = 32;

/** Loss (with the run's reduction) and accuracy of so many rows, in evaluation mode. */
export interface RowsEvaluation {
  readonly rows: number;
  readonly loss: number;
  /** Classification: fraction right. */
  readonly accuracy?: number;
}

/** The default process group of a run. */
export interface ProcessGroupReport {
  readonly backend: Backend;
  readonly worldSize: number;
  /** Ranks on each node. */
  readonly nodes: readonly (readonly Rank[])[];
  /** Of the gradients' all-reduce; absent where there is none. */
  readonly algorithm?: AlgorithmName;
  readonly timeoutS: number;
  readonly maxRestarts: number;
  /** How often all ranks have started again. */
  readonly restarts: number;
}
