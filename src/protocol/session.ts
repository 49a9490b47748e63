/**
 * The interface across the worker wall between the page and the session: few, coarse calls (SessionApi, through
 * comlink) and a control port that the session reads between steps. The session's own events are in session-events.ts.
 * Types only.
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

/** Questions to the open run, and what a user or a test does to it; also while it plays. */
export interface CallsOfRun {
  snapshot(): Promise<Snapshot>;
  /**
   * The control beside `differenceFromSingle`: runs towards the step of the open run for a slice of time. Call it again
   * until the control has reached that step; `wanted: false` frees it. Undefined if the run has no single-device
   * reference.
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
  /**
   * Test hooks. corrupt: adds `add` to the first element of the transfer with this event id (of its send or receive, in
   * the Program of most steps) in every step from now on; undefined stops this. loseDevice: acts like a driver reset.
   */
  corrupt(event: number | undefined, add: number): Promise<void>;
  loseDevice(): Promise<void>;
  /**
   * Ends a rank like a crash (with its worker, if it has one): now, or at a place. Then all ranks restart from the last
   * checkpoint, at most `maxRestarts` times, and continue to play where they were. hangRank: the rank stops; ranks that
   * wait for it time out after `timeoutS`.
   */
  killRank(rank: number, at?: FaultPlace): Promise<void>;
  hangRank(rank: number, at?: FaultPlace): Promise<void>;
  /** PyTorch's flight recorder: the last collectives of every rank and their states, for a run with a process group. */
  flightRecorder(): Promise<readonly FlightRecorderDump[]>;
  /** The current weights as .safetensors. */
  saveWeights(): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The state between two micro-batches, from which `resume` continues: rank 0's, and differing values of other ranks.
   * Works while playing, too. `atStart`: the state with which the run began, for a page that has run its first
   * micro-batch only to show it; the run does not move.
   */
  saveCheckpoint(options?: { readonly atStart?: boolean }): Promise<CheckpointFiles>;
  /** The same state as one file for each rank and an index, which `--checkpoint-shards` writes. */
  saveShards(options?: { readonly atStart?: boolean }): Promise<Files>;
  /** The PyTorch script of the open run. */
  listing(): Promise<readonly CodeLine[]>;
  /** DDP: the time that overlap saves in the open run; empty in other modes. */
  overlap(): Promise<readonly OverlapTimes[]>;
}

/** Calls that need no open run, and do not change one. */
export interface CallsWithoutRun {
  /** Runs a Config from start to end and reports. */
  run(config: unknown, files: Files, records?: RecordOptions): Promise<Report>;
  /** Exports a run as a folder from which PyTorch trains. */
  exportRun(config: unknown, files: Files): Promise<ExportedFolder>;
  /**
   * An exhibit of the museum of bugs that is a script over process groups: runs it and returns what each rank did and
   * raised.
   */
  rehearse(exhibit: string, cured: boolean): Promise<Rehearsal>;
  /** The collectives lab: runs one collective for real. */
  lab(request: LabRequest): Promise<LabResult>;
  /**
   * Compares algorithms, and finds the sizes at which the request's algorithm becomes faster or slower than each other
   * one.
   */
  labCurves(request: LabRequest): Promise<LabCurves>;
  measureLab(request: LabRequest): Promise<LabMeasurement>;
}

/** Opening a run, moving it, and the life of the worker; with the calls above, all that crosses the worker wall. */
export interface SessionApi extends CallsOfRun, CallsWithoutRun {
  /**
   * Builds everything and resolves when the first step can run. Rejects with a WireError. Replaces an open session.
   * `from`: the kept state of a session with the same configuration that has ended by itself; the new session continues
   * from it, but Reset returns to the start.
   */
  open(
    config: unknown,
    files: Files,
    events: MessagePort,
    control: MessagePort,
    from?: CheckpointFiles,
  ): Promise<SessionInfo>;
  /** Takes this Web Lock and holds it while the session's worker lives; resolves when it is held, or cannot be. */
  holdLock(name: string): Promise<void>;
  /** Answers even while other calls are running, to show that the session is alive. */
  ping(): Promise<void>;
  /**
   * Runs one micro-batch (a step, where `accumulate` is 1) with tracing and emits 'trace', 'losses', 'snapshot'. Only
   * while paused.
   */
  traceStep(): Promise<StepTrace>;
  /** Returns to step 0 with the same initial weights and order of samples. */
  reset(): Promise<void>;
  dispose(): Promise<void>;
}

/** A file the user dropped or the command line read, by the name that the Config uses. */
export type Files = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** Messages that the session reads between steps. */
export type ControlMessage =
  | {
      readonly type: 'play';
      /** 0 = as fast as possible. */
      readonly stepsPerSecond: number;
      /** Pauses after this many micro-batches of the run. */
      readonly until?: number;
    }
  | { readonly type: 'pause' }
  | { readonly type: 'abort' };

/** <name>.safetensors and <name>.state.safetensors. */
export interface CheckpointFiles {
  readonly model: Uint8Array<ArrayBuffer>;
  readonly state: Uint8Array<ArrayBuffer>;
}

/**
 * A fault fires before this instruction (event id) in the first micro-batch of this step; absent: before the first
 * instruction of the next micro-batch.
 */
export interface FaultPlace {
  readonly step?: number;
  readonly instruction?: number;
}

/** Modelled times of a step whose all-reduces overlap with backward, and of a step whose all-reduces follow it. */
export interface OverlapTimes {
  readonly hardware: HardwareId;
  readonly label: string;
  readonly withOverlapUs: number;
  readonly withoutOverlapUs: number;
}

/** Progress of the control: a single device, and another whose weights started one unit in the last place away. */
export interface ControlProgress {
  readonly step: number;
  /** Oldest first. */
  readonly differences: readonly DifferenceAt[];
}

/** The attention weights of one layer, for one row of data. */
export interface AttentionMap {
  /** Module path: 'blocks.0'. */
  readonly module: string;
  readonly heads: number;
  /** [heads, queries, keys], each row a softmax. */
  readonly weights: Float32Array<ArrayBuffer>;
}
