/**
 * What the page knows, and what may be done to it: the types of the store. What concerns one feature alone is a slice
 * of that feature (slice.ts). Views read the store; the player and the controller write the store, and the stage and
 * the timeline write hover, pin and cursor.
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
import type { WithSlices } from './slice';
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
  /** What the session is busy with while `state` is 'loading'; '' when nothing is said. */
  readonly busy: string;
  /**
   * Micro-batches that the run has behind it: the one truth of where it is. The session says it, with every loss and
   * every change of state; bar, timeline, stage and result derive what they show from it and from the cursor
   * (positions.ts).
   */
  readonly microBatch: number;
  /** Pause has been pressed, and the session has not yet ended the step that it is in. */
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
  /** Of the height that stage and timeline share, the timeline's part; undefined: the page's own proportions. */
  readonly split: number | undefined;
  /** The code that draws a traced step; 'none': no stage is shown. */
  readonly stageCode: 'none' | 'coming' | 'there';
  /** DDP: the gradient bucket that is pointed at; all its events are lit. */
  readonly hoveredBucket: number | undefined;
  /** Oldest first; thinned beyond some thousands, the newest record always kept. */
  readonly losses: readonly LossRecord[];
  readonly snapshot: Snapshot | undefined;
  /** The losses over all rows that the snapshots brought, oldest first, thinned like `losses`. */
  readonly evaluations: readonly EvaluationRecord[];
  /** Between the run and its single-device reference, oldest first, thinned beyond the first steps. */
  readonly differences: readonly DifferenceAt[];
  /** Language models: what the snapshots' models wrote, oldest first. */
  readonly texts: readonly WrittenText[];
  readonly stepsPerSecond: number;
  /** How fast Play goes. */
  readonly pace: Pace;
  /** On the way to where a link leads: the run is to have so many micro-batches behind it. */
  readonly goingTo: number | undefined;
  /** The page is here for the first time: one line says what is to be seen. */
  readonly newcomer: boolean;
  /** The device whose memory is open as a tree. */
  readonly memoryOf: number | undefined;
  /** The settings that the session refused last; until the next configuration is tried. */
  readonly refusedConfig: Config | undefined;
  /** What the refusal offers in its place, if it offers something. */
  readonly offeredConfig: Config | undefined;
  /** The layer that the session refused last, and why; until the next configuration is tried. */
  readonly refusedLayer: { readonly index: number; readonly text: string } | undefined;
}

export interface AppActions {
  setConfig(config: Config): void;
  setInfo(info: SessionInfo | undefined): void;
  setState(state: RunState, busy?: string): void;
  /** The run is here. What is kept of steps that it no longer has behind it is dropped. */
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
  /** The only step that is kept, computed anew; the cursor stays where it is. */
  replaceTrace(trace: StepTrace): void;
  /** Puts the trace of DDP's constructor before the kept steps, and the cursor at its start. */
  showConstruct(): void;
  addLosses(records: readonly LossRecord[], stepsPerSecond: number): void;
  setSnapshot(snapshot: Snapshot): void;
  addDifference(difference: DifferenceAt): void;
  /**
   * Forgets what ran (traces, losses, snapshot, cursor); keeps the configuration. The run has so many micro-batches
   * behind it.
   */
  clearRun(microBatch?: number): void;
  hover(event: number | undefined): void;
  hoverBucket(bucket: number | undefined): void;
  /** Pins an event; pinning the pinned one, or undefined, takes the pin away. */
  pin(event: number | undefined): void;
  /** Puts the cursor on an event, clamped to what is kept; `fraction` 1 = the event is done. */
  seek(trace: number, event: number, fraction?: number): void;
}

export type App = AppState & AppActions;
