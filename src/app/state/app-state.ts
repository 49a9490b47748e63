/**
 * The types of the store: the page's state and its actions. State of a single feature is in a slice of that feature
 * (store-slice.ts). Views read the store; the player and the controller write the store, and the stage and the timeline
 * write hover, pin and cursor.
 *
 * The cursor names one event of one kept trace. Everything up to and including that event has begun; `cursorFraction`
 * says how far that event is. The fraction changes every frame while something plays: canvases read it in their draw
 * function, React components must not select it.
 */
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import type { Standstill } from '../../protocol/session-events';
import type { SessionInfo } from '../../protocol/session-info';
import type { DifferenceAt, Snapshot } from '../../protocol/snapshot';
import type { Clock, LossRecord, StepTrace } from '../../protocol/trace';
import type { Pace } from '../pace/pace';
import type { ViewOptions } from '../permalink/permalink-view';
import type { WithSlices } from './store-slice';
import type { WrittenText } from './text-history';

export interface Cursor {
  /** Index into `traces`. */
  readonly trace: number;
  /** Index into the events of that trace; -1 before the first. */
  readonly event: number;
}

export type RunState = 'loading' | 'paused' | 'playing' | 'finished' | 'failed';

export type EvaluationRecord = Pick<Snapshot, 'step' | 'trainLoss' | 'testLoss' | 'trainAccuracy' | 'testAccuracy'>;

export interface AppState extends ViewOptions, WithSlices {
  readonly config: Config;
  readonly info: SessionInfo | undefined;
  readonly notices: readonly Notice[];
  readonly state: RunState;
  /** What the session is doing while `state` is 'loading'; '' if unknown. */
  readonly busy: string;
  /**
   * Number of micro-batches that have run: the only record of the run's progress. The session sends it with every loss
   * and every change of state; bar, timeline, stage and result derive their contents from it and from the cursor
   * (positions.ts).
   */
  readonly microBatch: number;
  /** The user has pressed Pause, but the session has not yet finished its step. */
  readonly pausing: boolean;
  /** Ranks wait for each other, or one has ended. */
  readonly standstill: Standstill | undefined;
  /** The last KEPT_TRACES traces, oldest first. */
  readonly traces: readonly StepTrace[];
  readonly cursor: Cursor | undefined;
  /** 0..1 within the cursor's event, for packets that fly; 1 = done. */
  readonly cursorFraction: number;
  readonly clock: Clock;
  /** Event indices in the cursor's trace. */
  readonly hovered: number | undefined;
  readonly pinned: number | undefined;
  /** The timeline's part of the height that stage and timeline share; undefined: the page's default. */
  readonly split: number | undefined;
  /** The code that draws a traced step; 'none': no stage is shown. */
  readonly stageCode: 'none' | 'coming' | 'there';
  /** DDP: the gradient bucket that the user points at; all its events are highlighted. */
  readonly hoveredBucket: number | undefined;
  /** Oldest first; thinned beyond some thousands, the newest record always kept. */
  readonly losses: readonly LossRecord[];
  readonly snapshot: Snapshot | undefined;
  /** The losses over all rows from the snapshots, oldest first, thinned like `losses`. */
  readonly evaluations: readonly EvaluationRecord[];
  /** Between the run and its single-device reference, oldest first, thinned beyond the first steps. */
  readonly differences: readonly DifferenceAt[];
  /** Language models: what the snapshots' models wrote, oldest first. */
  readonly texts: readonly WrittenText[];
  readonly stepsPerSecond: number;
  /** How fast Play goes. */
  readonly pace: Pace;
  /** The micro-batch to which the run is going, because a link leads there. */
  readonly goingTo: number | undefined;
  /** The user's first visit: one line explains the page. */
  readonly newcomer: boolean;
  /** The device whose memory is open as a tree. */
  readonly memoryOf: number | undefined;
  /** The settings that the session refused last; until the next configuration is tried. */
  readonly refusedConfig: Config | undefined;
  /** The configuration that the refusal offers instead, if any. */
  readonly offeredConfig: Config | undefined;
  /** The layer that the session refused last, and why; until the next configuration is tried. */
  readonly refusedLayer: { readonly index: number; readonly text: string } | undefined;
}

export interface AppActions {
  setConfig(config: Config): void;
  setInfo(info: SessionInfo | undefined): void;
  setState(state: RunState, busy?: string): void;
  /** Sets the run's progress and drops everything kept of later steps. */
  setMicroBatch(microBatch: number): void;
  setPausing(pausing: boolean): void;
  setStandstill(standstill: Standstill | undefined): void;
  setView(view: Partial<ViewOptions>): void;
  setClock(clock: Clock): void;
  setPace(pace: Pace): void;
  setNewcomer(newcomer: boolean): void;
  setGoingTo(microBatch: number | undefined): void;
  setSplit(share: number | undefined): void;
  setStageCode(code: AppState['stageCode']): void;
  showMemory(device: number | undefined): void;
  setRefusedConfig(refused: Config | undefined, offered?: Config): void;
  setRefusedLayer(refused: AppState['refusedLayer']): void;
  /** Replaces a notice with the same id. */
  addNotice(notice: Notice): void;
  dismissNotice(id: string): void;
  addTrace(trace: StepTrace): void;
  /** Replaces the only kept step by a new computation of it; the cursor stays where it is. */
  replaceTrace(trace: StepTrace): void;
  /** Puts the trace of DDP's constructor before the kept steps, and the cursor at its start. */
  showConstruct(): void;
  addLosses(records: readonly LossRecord[], stepsPerSecond: number): void;
  setSnapshot(snapshot: Snapshot): void;
  addDifference(difference: DifferenceAt): void;
  /** Clears traces, losses, snapshot and cursor; keeps the configuration. `microBatch`: the run's progress. */
  clearRun(microBatch?: number): void;
  hover(event: number | undefined): void;
  hoverBucket(bucket: number | undefined): void;
  /** Pins an event; pinning the pinned event, or undefined, removes the pin. */
  pin(event: number | undefined): void;
  /** Puts the cursor on an event, clamped to the kept traces; `fraction` 1 = the event is done. */
  seek(trace: number, event: number, fraction?: number): void;
}

export type App = AppState & AppActions;
