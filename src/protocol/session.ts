/**
 * What crosses the worker wall between the page and the session: few, coarse calls (SessionApi, through comlink), a
 * control port that is looked at between steps, and an event port with at most one message per step. Types only.
 */
import type { WireError } from '../base/errors';
import type { KindForm } from './closed-form';
import type { AlgorithmName } from './collective';
import type { Config, HardwareId } from './config';
import type { LabCurves, LabMeasurement, LabRequest, LabResult } from './lab';
import type { Backend, FlightRecorderDump, LaunchPlan, RankEnvironment } from './process-group';
import type { Rehearsal } from './rehearsal';
import type { BufferInfo, CodeLine, DeviceMemory, LossRecord, Rank, StepTrace } from './trace';

/** A file the user dropped or the command line read, by the name that the Config uses. */
export type Files = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

export interface Notice {
  readonly level: 'info' | 'warning' | 'error';
  /** The hint says how to go on, so it is gone as soon as training plays. */
  readonly untilPlay?: boolean;
  /**
   * Stable key, so that a test or the page can tell notices apart: 'config', 'software-adapter', 'no-webgpu',
   * 'no-adapter', 'device-lost', 'batch-uneven', 'not-finite', ...
   */
  readonly id: string;
  readonly text: string;
  /** What to do. */
  readonly hint: string;
}

export interface DeviceReport {
  readonly kind: 'webgpu' | 'cpu';
  readonly adapter: string;
  readonly software: boolean;
  /** With the setting `adapters`: what each device of the mesh computes on, in order. */
  readonly adapters?: readonly Pick<DeviceReport, 'kind' | 'adapter' | 'software'>[];
}

export interface ParameterInfo {
  readonly name: string;
  readonly shape: readonly number[];
}

/** What a device is in its mode, for the views. */
export interface DeviceRole {
  /** 'rank 2', 'server', 'cuda:0'. */
  readonly title: string;
  /** Stands behind the title: 'cuda:2' where that is not the title. */
  readonly beside: string | undefined;
  /** It works on rows of the batch, not on what another device makes of them. */
  readonly hasRows: boolean;
  /** What it held before the step counts: false where its weights are made anew on each forward. */
  readonly keepsState: boolean;
}

/** What the page needs to draw before anything has run. */
export interface SessionInfo {
  readonly config: Config;
  /** What torchrun would set for each process. */
  readonly environment: readonly RankEnvironment[];
  readonly device: DeviceReport;
  readonly notices: readonly Notice[];
  readonly worldSize: number;
  readonly ranks: number;
  readonly parameters: readonly ParameterInfo[];
  readonly buffers: readonly BufferInfo[];
  readonly memory: readonly DeviceMemory[];
  /** DDP: what its constructor sent before the first step, as a trace of its own; undefined where it sends nothing. */
  readonly construct: StepTrace | undefined;
  /** Printed form of the Program that runs most steps. */
  readonly programText: string;
  /** Micro-batches in an epoch: where `accumulate` is 1, steps. */
  readonly batchesPerEpoch: number;
  readonly batchPerRank: readonly number[];
  readonly dataset: DatasetPreview;
  /** DDP only. */
  readonly buckets: BucketsInfo | undefined;
  readonly roles: readonly DeviceRole[];
  /** Layers (indices into config.model.layers) that live on each device. */
  readonly layersOfDevice: readonly (readonly number[])[];
  /** Of each Program, where the mode has one. */
  readonly closedForms: readonly KindForm[];
  readonly hardwareLabel: string;
}

export interface BucketInfo {
  readonly bytes: number;
  /** In their order within the bucket. */
  readonly parameters: readonly string[];
}

/** DDP's gradient buckets, in the order in which they are launched. */
export interface BucketsInfo {
  /** The constructor's. */
  readonly initial: readonly BucketInfo[];
  /** In ready order, after the rebuild; undefined: it never comes (find_unused_parameters). */
  readonly rebuilt: readonly BucketInfo[] | undefined;
  /** Synced passes that run on the initial buckets, where a rebuild comes. */
  readonly passesBeforeRebuild: number | undefined;
  /** Parameters in the order in which backward makes their gradients. */
  readonly readyOrder: readonly string[];
  /** Parameters that forward does not use. */
  readonly unused: readonly string[];
}

export interface DatasetPreview {
  readonly task: 'classification' | 'regression';
  readonly rows: number;
  readonly testRows: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly kind: 'points' | 'image' | 'tokens' | 'table';
  /** Of one row: [2], [1, 28, 28], [context]. */
  readonly inputShape: readonly number[];
  /** Names of the classes; their numbers where a file gives none; empty in regression. */
  readonly classNames: readonly string[];
  /** tokens: the text of each id. */
  readonly vocabulary: readonly string[];
  /** image: up to 40 rows as they are trained on. */
  readonly images: readonly LabelledImage[];
  /** tokens: up to 8 rows as text: input and target (open positions as '·'). */
  readonly sequences: readonly { readonly input: string; readonly target: string }[];
  /** 2-D inputs only: up to 1,000 points as x, y, target, isTest. */
  readonly points: readonly (readonly [x: number, y: number, target: number, isTest: 0 | 1])[];
}

/** An image [channels, height, width] with values 0..1 as bytes 0..255. */
export interface LabelledImage {
  readonly row: number;
  readonly shape: readonly [channels: number, height: number, width: number];
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly label: number;
}

/** What a classifier says about test rows (training rows where there are none). */
export interface Confusion {
  /** [classes, classes], row-major: row = target, column = prediction. */
  readonly counts: Uint32Array<ArrayBuffer>;
  readonly rows: number;
  readonly of: 'train' | 'test';
}

export interface Misclassified extends LabelledImage {
  readonly predicted: number;
  /** Of the prediction. */
  readonly probability: number;
}

/** A row of a token task as the model answers it: only the positions that the target asks for. */
export interface AnsweredSequence {
  readonly prompt: string;
  readonly expected: string;
  readonly predicted: string;
  readonly right: boolean;
}

/** What one attention layer looks at, for one row of data. */
export interface AttentionMap {
  /** Module path: 'blocks.0'. */
  readonly module: string;
  readonly heads: number;
  /** [heads, queries, keys], each row a softmax. */
  readonly weights: Float32Array<ArrayBuffer>;
}

/** State at one step, read back at the page's pace. */
export interface Snapshot {
  /** Micro-batches done. */
  readonly microBatch: number;
  /** Optimizer steps that have been taken. */
  readonly step: number;
  /** Whole, in the order of SessionInfo.parameters: what a file of weights has, however devices hold it. */
  readonly parameters: readonly Float32Array[];
  /** max |w_i - w_j| over replicas; 0 where there is one copy. */
  readonly replicaDivergence: number;
  /** max |w - w_single| against the single-device reference; undefined when it does not run. */
  readonly differenceFromSingle: number | undefined;
  readonly trainLoss: number;
  readonly testLoss: number | undefined;
  /** Classification: fraction right. */
  readonly trainAccuracy: number | undefined;
  readonly testAccuracy: number | undefined;
  /**
   * 2-D inputs: model output on a FIELD_SIZE x FIELD_SIZE grid over [-1, 1]^2, row 0 at the top (y = 1). In
   * classification the probability of class 1.
   */
  readonly field: Float32Array | undefined;
  /** Regression: up to 200 pairs target, prediction. */
  readonly predictions: readonly (readonly [target: number, predicted: number])[];
  /** Class indices per row (not per token) only. */
  readonly confusion: Confusion | undefined;
  /** Images: up to 24 that are taken for another class, the surest mistakes first. */
  readonly misclassified: readonly Misclassified[];
  /**
   * Text: what the model writes on its own, from a fixed prompt (which it begins with) and seed. While training goes
   * on, this and the other views that take long may be some steps old.
   */
  readonly sampledText: string | undefined;
  /** Sequence tasks: up to 8 test rows. */
  readonly answers: readonly AnsweredSequence[];
}
export const FIELD_SIZE = 48;

/** max |Δw| before that step. */
export interface DifferenceAt {
  readonly step: number;
  /** NaN where a weight is NaN. */
  readonly value: number;
}

/** How far the control has come: a single device beside one whose weights started one unit in the last place away. */
export interface ControlProgress {
  readonly step: number;
  /** Oldest first. */
  readonly differences: readonly DifferenceAt[];
}

export type SessionEvent =
  /** From the single-device reference, between snapshots: at the steps of training/control/compared-steps. */
  | { readonly type: 'difference'; readonly difference: DifferenceAt }
  | { readonly type: 'losses'; readonly records: readonly LossRecord[]; readonly stepsPerSecond: number }
  | { readonly type: 'trace'; readonly trace: StepTrace }
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** What computes from now on: after a lost device it may be another one. */
  | { readonly type: 'device'; readonly device: DeviceReport }
  | {
      readonly type: 'state';
      readonly state: 'playing' | 'paused' | 'finished' | 'restarting' | 'failed';
      readonly reason: string;
      /**
       * Micro-batches that the run has behind it. The one truth of where it is, together with the losses that come
       * later: a run that has gone back (to a checkpoint, before a loss that is not finite) has no losses and no traces
       * from this one on.
       */
      readonly microBatch: number;
    }
  /** Ranks wait for each other, or one of them has ended; undefined: they go on. */
  | { readonly type: 'standstill'; readonly standstill: Standstill | undefined }
  /** The state to open another session with, should this one end by itself. At most every few seconds. */
  | { readonly type: 'kept'; readonly kept: KeptState }
  | { readonly type: 'progress'; readonly what: string; readonly done: number; readonly total: number };

/** What a rank does while the group stands still. */
export interface RankStanding {
  readonly rank: Rank;
  /** late: the others wait for it. ended: it was killed, or its worker is gone. */
  readonly is: 'ended' | 'late' | 'waiting' | 'running';
  /** 'all_reduce of bucket 0 (seq 1)'; undefined: it does not say where it is. */
  readonly at: string | undefined;
  /** Of a rank that waits. */
  readonly waitsFor: Rank | undefined;
}

export interface Standstill {
  /** Micro-batches that the run has behind it: the next one does not come to its end. */
  readonly microBatch: number;
  readonly accumulate: number;
  readonly ranks: readonly RankStanding[];
  /** For how long the first of those who wait has waited; undefined: nobody waits any longer. */
  readonly waitedMs: number | undefined;
  readonly timeoutMs: number;
}

/** A checkpoint for a session that replaces one which has ended by itself. */
export interface KeptState {
  readonly microBatch: number;
  readonly files: CheckpointFiles;
}

/** Looked at between steps. */
export type ControlMessage =
  | { readonly type: 'play' /** steps a second; 0 = as fast as it goes */; readonly stepsPerSecond: number }
  | { readonly type: 'pause' }
  | { readonly type: 'abort' };

/** <name>.safetensors and <name>.state.safetensors. */
export interface CheckpointFiles {
  readonly model: Uint8Array<ArrayBuffer>;
  readonly state: Uint8Array<ArrayBuffer>;
}

/** Modelled time of a step whose all-reduces run beside backward, and after it. */
export interface OverlapTimes {
  readonly hardware: HardwareId;
  readonly label: string;
  readonly withOverlapUs: number;
  readonly withoutOverlapUs: number;
}

/** Before which instruction (event id) of which step's first micro-batch; absent: the first of the next micro-batch. */
export interface FaultPlace {
  readonly step?: number;
  readonly instruction?: number;
}

export interface SessionApi {
  /**
   * Builds everything and resolves when the first step can run. Rejects with a WireError. Replaces an open session.
   * `from`: of a session with the same configuration that has ended by itself; this one goes on from there, and Reset
   * still leads to the start.
   */
  open(
    config: unknown,
    files: Files,
    events: MessagePort,
    control: MessagePort,
    from?: CheckpointFiles,
  ): Promise<SessionInfo>;
  /**
   * Takes this Web Lock and holds it as long as the worker around the session lives; resolves when it is held, or
   * cannot be.
   */
  holdLock(name: string): Promise<void>;
  /** Answers whatever else is asked: who answers is not dead. */
  ping(): Promise<void>;
  /**
   * Runs one micro-batch (a step, where `accumulate` is 1) with tracing and emits 'trace', 'losses', 'snapshot'. Only
   * while paused.
   */
  traceStep(): Promise<StepTrace>;
  snapshot(): Promise<Snapshot>;
  /**
   * The control beside `differenceFromSingle`: runs on towards the step of the open run for a slice of time. Ask again
   * until it has come there; false frees what it holds. Undefined where the run has no single-device reference.
   */
  controlRun(wanted: boolean): Promise<ControlProgress | undefined>;
  /** Class probabilities (classification) or outputs of the current weights for one row of inputs. */
  predict(input: Float32Array<ArrayBuffer>): Promise<Float32Array<ArrayBuffer>>;
  /**
   * Continues `prompt` by `length` tokens, sampled at `temperature` (0: the likeliest) with a generator of that seed;
   * resolves with the continuation alone.
   */
  generate(prompt: string, length: number, temperature: number, seed: number): Promise<string>;
  /** Attention of every attention layer on one row of data, with its tokens. */
  attention(row: number): Promise<{ readonly tokens: readonly string[]; readonly maps: readonly AttentionMap[] }>;
  /** Same initial weights, same order of samples, step 0. */
  reset(): Promise<void>;
  /** Runs a Config from start to end and reports; does not touch the open session. */
  run(config: unknown, files: Files): Promise<Report>;
  /**
   * Test hooks. corrupt: adds `add` to the first element that the transfer with this event id (its send or its receive,
   * in the Program that runs most steps) brings, in every step from now on; undefined ends it. loseDevice: as a driver
   * reset would.
   */
  corrupt(event: number | undefined, add: number): Promise<void>;
  loseDevice(): Promise<void>;
  /**
   * A rank ends as a crash would end it (its worker, where it has one): now, or at a place. Then all ranks start again
   * from the last checkpoint, at most `maxRestarts` times, and go on playing where they were. hangRank: it stands
   * still; those who wait for it say so after `timeoutS`.
   */
  killRank(rank: number, at?: FaultPlace): Promise<void>;
  hangRank(rank: number, at?: FaultPlace): Promise<void>;
  /**
   * PyTorch's flight recorder: the last collectives of every rank with what became of them; of a run that has a process
   * group.
   */
  flightRecorder(): Promise<readonly FlightRecorderDump[]>;
  /** The current weights as .safetensors. */
  saveWeights(options?: {
    /** DDP and DataParallel: as the wrapper's own state_dict(), with `module.` before every name. */
    readonly wrapped?: boolean;
  }): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The state between two micro-batches, from which `resume` goes on; rank 0's, and of the others what differs from it.
   * While playing, too. `atStart`: the state that the run began with, for a page that has run its first micro-batch
   * only to show it; the run stays where it is.
   */
  saveCheckpoint(options?: { readonly atStart?: boolean }): Promise<CheckpointFiles>;
  /** The PyTorch script of the open run. */
  listing(): Promise<readonly CodeLine[]>;
  /** DDP: what overlap saves in the open run; empty in other modes. */
  overlap(): Promise<readonly OverlapTimes[]>;
  /**
   * An exhibit of the museum of bugs that is a script over process groups: what each rank did and what was raised.
   * Leaves the open run as it is.
   */
  rehearse(exhibit: string, cured: boolean): Promise<Rehearsal>;
  /** The collectives lab: runs one collective for real. Needs no open run and leaves one as it is. */
  lab(request: LabRequest): Promise<LabResult>;
  /** Algorithms compared, and where the request's own changes places with each other one. */
  labCurves(request: LabRequest): Promise<LabCurves>;
  measureLab(request: LabRequest): Promise<LabMeasurement>;
  dispose(): Promise<void>;
}

/** What a headless run writes; the same from the page and from the command line. */
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

/** Loss (with the run's reduction) and accuracy of so many rows, in evaluation mode. */
export interface RowsEvaluation {
  readonly rows: number;
  readonly loss: number;
  /** Classification: fraction right. */
  readonly accuracy?: number;
}

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
