/** What a headless run writes; the same from the page and from the command line. Types only. */
import type { WireError } from '../base/errors';
import type { AlgorithmName } from './collective';
import type { Config } from './config';
import type { Notice } from './notice';
import type { Backend, LaunchPlan } from './process-group';
import type { DeviceReport } from './session-info';
import type { DeviceMemory, LossRecord, Rank } from './trace';

export interface Report {
  readonly lockstep: string;
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
  };
  readonly memory: readonly DeviceMemory[];
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
  readonly notices: readonly Notice[];
  readonly error?: WireError;
}

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
