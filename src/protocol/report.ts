/** The report of a headless run, by the page or the command line. Types, and one number. */
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
  /** Optimizer steps that this run has taken, without steps before the checkpoint that it resumed from. */
  readonly steps: number;
  /** Losses of all micro-batches, `accumulate` per step. */
  readonly losses: readonly LossRecord[];
  readonly finalLoss: number;
  readonly testLoss?: number;
  readonly accuracy?: number;
  /** On request (`--eval`): evaluation of the final weights after model.eval(), over all rows of each part. */
  readonly evaluation?: { readonly train: RowsEvaluation; readonly test?: RowsEvaluation };
  readonly bytes: {
    /** Bytes sent in the last step by payload kind, and per link 'cuda:0->cuda:1'. */
    readonly perStepByPayload: Readonly<Record<string, number>>;
    readonly perStepByLink: Readonly<Record<string, number>>;
    readonly perRankFormula: string;
    readonly perRank: readonly number[];
    readonly total: number;
    /**
     * Payload of the collectives of a usual step, by kind ('all_reduce'): rank 0's input bytes, whatever the algorithm
     * sends.
     */
    readonly payloadPerStep?: Readonly<Record<string, number>>;
  };
  readonly memory: readonly DeviceMemory[];
  /** For a pipeline: the cost of its schedule. */
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
  /** The process group, if processes are ranks. */
  readonly processGroup?: ProcessGroupReport;
  /** Under torchrun or srun: the processes as the line starts them. */
  readonly launch?: LaunchPlan;
  readonly differenceFromSingle?: number;
  /** SHA-256 of the final weights: every parameter's float32 little-endian bytes, in state_dict order. */
  readonly weightsSha256: string;
  readonly parametersSha256: Readonly<Record<string, string>>;
  /** The final state_dict, on request. */
  readonly weights?: Readonly<Record<string, TensorRecord>>;
  /** Parameters and gradients after the first steps, on request. */
  readonly history?: readonly StepRecord[];
  readonly notices: readonly Notice[];
  readonly error?: WireError;
}

/**
 * Counted in units of the schedule: a forward takes 1, a backward 2 (its halves I and W 1 each), a message nothing.
 * With a formula, if one is known for the schedule and its size: P ranks, L stages per rank, M micro-batches, r the
 * rank.
 */
export interface PipelineReport {
  /** 'own': the user's. */
  readonly schedule: ScheduleName | 'own';
  readonly ranks: number;
  readonly stages: number;
  readonly microBatches: number;
  readonly makespan: { readonly counted: number; readonly byFormula?: ReportedFormula };
  /** Share of ranks x makespan in which a rank is idle: 0 to 1. */
  readonly bubble: { readonly counted: number; readonly byFormula?: ReportedFormula };
  /** By rank: the most activations (of a stage and micro-batch) that the rank keeps at once. */
  readonly peakActivations: {
    readonly counted: readonly number[];
    readonly byFormula?: { readonly values: readonly number[]; readonly formula: string };
  };
}

interface ReportedFormula {
  readonly value: number;
  readonly formula: string;
}

/** Optional parts of a report. */
export interface RecordOptions {
  /** Record parameters and gradients for this many optimizer steps. */
  readonly history?: number;
  /** Record the final state_dict. */
  readonly weights?: boolean;
}

/** The engine that computed a run, if not Lockstep. */
export interface EngineReport {
  /** 'pytorch'. */
  readonly name: string;
  readonly version: string;
  /** 'gloo', 'nccl'; absent: one process. */
  readonly backend?: string;
  /** 'cpu', 'cuda'. */
  readonly device: string;
}

/** A tensor of float32, row-major, little-endian, in base64. */
export interface TensorRecord {
  readonly shape: readonly number[];
  readonly float32: string;
}

/**
 * After a step of the optimizer: the new parameters, and the gradients that it used (reduced over ranks and clipped:
 * `.grad` when optimizer.step() returns). A parameter without a gradient is missing in `gradients`.
 */
export interface StepRecord {
  /** From 0. */
  readonly step: number;
  readonly parameters: Readonly<Record<string, TensorSample>>;
  readonly gradients: Readonly<Record<string, TensorSample>>;
}

/**
 * A sample of a tensor of n elements that shows where two runs diverge: its L2 norm, and its elements at floor(i * n /
 * k) for i < k = min(n, SAMPLED_ELEMENTS), row-major. Non-finite numbers are null in JSON.
 */
export interface TensorSample {
  readonly norm: number | null;
  readonly sample: readonly (number | null)[];
}

export const SAMPLED_ELEMENTS = 32;

/** Loss (with the run's reduction) and accuracy over some rows, in evaluation mode. */
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
  /** Algorithm of the all-reduces of gradients and inside tensor groups; absent: the run has none. */
  readonly algorithm?: AlgorithmName;
  readonly timeoutS: number;
  readonly maxRestarts: number;
  /** Number of restarts of all ranks. */
  readonly restarts: number;
}
