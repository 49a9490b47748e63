/**
 * What crosses the worker wall between the page and the session: few, coarse calls (SessionApi, through comlink) and a
 * control port that is looked at between steps. What comes back by itself is in session-events.ts. Types only.
 */
import type { HardwareId } from './config';
import type { ExportedFolder } from './exported';
import type { LabCurves, LabMeasurement, LabRequest, LabResult } from './lab';
import type { FlightRecorderDump } from './process-group';
import type { Rehearsal } from './rehearsal';
import type { RecordOptions, Report } from './report';
import type { SessionInfo } from './session-info';
import type { DifferenceAt, Snapshot } from './snapshot';
import type { CodeLine, StepTrace } from './trace';

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
  run(config: unknown, files: Files, records?: RecordOptions): Promise<Report>;
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
  /** A run as a folder that PyTorch trains from. The open run stays as it is. */
  exportRun(config: unknown, files: Files): Promise<ExportedFolder>;
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

/** A file the user dropped or the command line read, by the name that the Config uses. */
export type Files = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** Looked at between steps. */
export type ControlMessage =
  | {
      readonly type: 'play';
      /** 0 = as fast as it goes. */
      readonly stepsPerSecond: number;
      /** Pauses by itself when it has so many micro-batches behind it. */
      readonly until?: number;
    }
  | { readonly type: 'pause' }
  | { readonly type: 'abort' };

/** <name>.safetensors and <name>.state.safetensors. */
export interface CheckpointFiles {
  readonly model: Uint8Array<ArrayBuffer>;
  readonly state: Uint8Array<ArrayBuffer>;
}

/** Before which instruction (event id) of which step's first micro-batch; absent: the first of the next micro-batch. */
export interface FaultPlace {
  readonly step?: number;
  readonly instruction?: number;
}

/** Modelled time of a step whose all-reduces run beside backward, and after it. */
export interface OverlapTimes {
  readonly hardware: HardwareId;
  readonly label: string;
  readonly withOverlapUs: number;
  readonly withoutOverlapUs: number;
}

/** How far the control has come: a single device beside one whose weights started one unit in the last place away. */
export interface ControlProgress {
  readonly step: number;
  /** Oldest first. */
  readonly differences: readonly DifferenceAt[];
}

/** What one attention layer looks at, for one row of data. */
export interface AttentionMap {
  /** Module path: 'blocks.0'. */
  readonly module: string;
  readonly heads: number;
  /** [heads, queries, keys], each row a softmax. */
  readonly weights: Float32Array<ArrayBuffer>;
}
