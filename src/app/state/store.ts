/**
 * The state of the page: one vanilla zustand store. Views read it; `player.ts` and `controller.ts` write it, and the
 * stage and the timeline write hover, pin and cursor. It knows no DOM, no worker and no clock.
 *
 * The cursor names one event of one kept trace. Everything up to and including that event has begun; `cursorFraction`
 * says how far that event is. The fraction changes every frame while something plays: canvases read it in their draw
 * function, React components must not select it.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ExhibitId } from '../../museum/mistakes';
import type { Config } from '../../protocol/config';
import { stepOf } from '../../protocol/micro-batches';
import type { Notice } from '../../protocol/notice';
import type { Standstill } from '../../protocol/session-events';
import type { SessionInfo } from '../../protocol/session-info';
import type { DifferenceAt, Snapshot } from '../../protocol/snapshot';
import type { Clock, LossRecord, StepTrace } from '../../protocol/trace';
import { byMoments } from '../../trace/moments/moments';
import type { LabSettings } from '../lab/lab-link';
import type { CsvLook } from '../looks/csv-look';
import type { Draft } from '../pipeline/draft';
import { withDifference } from '../result/difference/differences';
import { BEGINNING, type Pace } from '../transport/pace';
import { type WrittenText, withText } from './text-history';

export const KEPT_TRACES = 64;

export interface Cursor {
  /** Index into `traces`. */
  readonly trace: number;
  /** Index into the events of that trace; -1 before the first. */
  readonly event: number;
}

export type RunState = 'loading' | 'paused' | 'playing' | 'finished' | 'failed';
export type Theme = 'light' | 'dark' | 'system';

/** What the permalink says about the page itself, apart from the run. */
export interface ViewOptions {
  readonly theme: Theme;
  readonly embed: boolean;
  /** Names of regions and controls that are not shown, and of those that are shown but cannot be changed. */
  readonly hide: ReadonlySet<string>;
  readonly lock: ReadonlySet<string>;
  /** The exhibit of the museum of bugs that is looked at: its mistake, or its cure. */
  readonly exhibit: { readonly id: ExhibitId; readonly cured: boolean } | undefined;
  /** What the collectives lab shows; undefined while it is closed. */
  readonly lab: LabSettings | undefined;
  /**
   * How the run differs that is compared with this one, as compare/beside-link.ts writes it; '' before that is known,
   * undefined while none is compared.
   */
  readonly beside: string | undefined;
}

export type Evaluation = Pick<Snapshot, 'step' | 'trainLoss' | 'testLoss' | 'trainAccuracy' | 'testAccuracy'>;

export interface AppState extends ViewOptions {
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
  /** DDP: the gradient bucket that is pointed at; all its events are lit. */
  readonly hoveredBucket: number | undefined;
  /** Oldest first; thinned beyond some thousands, the newest record always kept. */
  readonly losses: readonly LossRecord[];
  readonly snapshot: Snapshot | undefined;
  /** The losses over all rows that the snapshots brought, oldest first, thinned like `losses`. */
  readonly evaluations: readonly Evaluation[];
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
  /** The layer that the session refused last, and why; until the next configuration is tried. */
  readonly refusedLayer: { readonly index: number; readonly text: string } | undefined;
  /** What is known of the files that the user gave, by name. */
  readonly csvFiles: Readonly<Record<string, CsvLook>>;
  /** The pipeline schedule that the user builds; it outlives runs and modes. */
  readonly draft: Draft | undefined;
}

export interface AppActions {
  setConfig(config: Config): void;
  setInfo(info: SessionInfo): void;
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
  showMemory(device: number | undefined): void;
  setRefusedLayer(refused: AppState['refusedLayer']): void;
  addCsv(csv: CsvLook): void;
  setDraft(draft: Draft): void;
  /** Replaces a notice with the same id. */
  addNotice(notice: Notice): void;
  dismissNotice(id: string): void;
  addTrace(trace: StepTrace): void;
  /** Puts what DDP's constructor sent before the kept steps, and the cursor before it. */
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
export type AppStore = StoreApi<App>;

const KEPT_RECORDS = 4000;

/** Keeps a long history bounded and evenly spaced over the run: one record for each stretch of it, and the newest. */
export function thin<T>(records: readonly T[], placeOf: (record: T) => number): readonly T[] {
  const placeAt = (index: number): number => {
    const record = records.at(index);
    return record === undefined ? 0 : placeOf(record);
  };
  const newest = placeAt(-1);
  const stretch = 2 ** Math.max(0, Math.ceil(Math.log2((newest + 1) / KEPT_RECORDS)));
  if (stretch === 1) return records;
  const place = (index: number) => Math.floor(placeAt(index) / stretch);
  return records.filter((_, index) => index === 0 || index === records.length - 1 || place(index) !== place(index - 1));
}

export const isConstruct = ({ kind }: StepTrace): boolean => kind.type === 'construct';

/** Nothing of what a state holds lies beyond the micro-batch that the run has come to. */
function keptBefore(s: AppState, microBatch: number): Partial<AppState> {
  const kept: { -readonly [K in keyof AppState]?: AppState[K] } = {};
  const step = stepOf(microBatch, s.info?.config ?? s.config);
  const past = ({ step: own }: { readonly step: number }) => own <= step;
  if ((s.losses.at(-1)?.microBatch ?? -1) >= microBatch)
    kept.losses = s.losses.filter((record) => record.microBatch < microBatch);
  if ((s.evaluations.at(-1)?.step ?? -1) > step) kept.evaluations = s.evaluations.filter(past);
  if ((s.differences.at(-1)?.step ?? -1) > step) kept.differences = s.differences.filter(past);
  if ((s.texts.at(-1)?.step ?? -1) > step) kept.texts = s.texts.filter(past);
  if ((s.traces.at(-1)?.microBatch ?? -1) < microBatch) return kept;
  const traces = s.traces.filter((trace) => trace.microBatch < microBatch);
  const last = traces.length - 1;
  const gone = s.cursor !== undefined && s.cursor.trace > last;
  return {
    ...kept,
    traces,
    ...(gone
      ? {
          cursor: last < 0 ? undefined : { trace: last, event: (traces[last]?.events.length ?? 0) - 1 },
          cursorFraction: 1,
          hovered: undefined,
          pinned: undefined,
        }
      : {}),
  };
}

const withoutPlayHint = (notice: Notice): Notice => (notice.untilPlay ? { ...notice, hint: '' } : notice);

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** What a page begins with, before a run is open. */
const START = {
  info: undefined,
  notices: [],
  state: 'loading',
  busy: '',
  pausing: false,
  clock: 'modelled',
  split: undefined,
  hoveredBucket: undefined,
  newcomer: false,
  goingTo: undefined,
  csvFiles: {},
  draft: undefined,
  memoryOf: undefined,
  refusedLayer: undefined,
} satisfies Partial<AppState>;

/** Nothing has run. */
const NOTHING_RAN = {
  standstill: undefined,
  traces: [],
  cursor: undefined,
  cursorFraction: 1,
  hovered: undefined,
  pinned: undefined,
  losses: [],
  snapshot: undefined,
  evaluations: [],
  differences: [],
  texts: [],
  stepsPerSecond: 0,
} satisfies Partial<AppState>;

/** The cursor before the first kept trace. */
const AT_BEGINNING = {
  cursor: { trace: 0, event: -1 },
  cursorFraction: 1,
  hovered: undefined,
  pinned: undefined,
} satisfies Partial<AppState>;

/** The cursor stays on its trace, as long as that is kept. */
function withTrace(s: AppState, trace: StepTrace): Partial<AppState> {
  // After a restart steps run again; what they leave takes the place of the old.
  const before = s.traces.filter((kept) => kept.microBatch < trace.microBatch);
  const dropped = Math.max(0, before.length + 1 - KEPT_TRACES);
  const [construct] = before.filter(isConstruct);
  const steps = [...before, byMoments(trace)].slice(dropped);
  // The constructor ran once; its trace makes no way for steps.
  const traces = construct && dropped > 0 ? [construct, ...steps.slice(1)] : steps;
  const cursor = s.cursor && { ...s.cursor, trace: s.cursor.trace - dropped };
  if (cursor && cursor.trace >= 0 && s.cursor && s.cursor.trace < before.length) return { traces, cursor };
  return { traces, ...AT_BEGINNING };
}

function withConstruct(s: AppState): Partial<AppState> {
  const { info } = s;
  if (!info?.construct) return s;
  const traces = s.traces.some(isConstruct) ? s.traces : [byMoments(info.construct), ...s.traces];
  return { traces, ...AT_BEGINNING };
}

function withLosses(s: AppState, records: readonly LossRecord[], stepsPerSecond: number): Partial<AppState> {
  const first = records[0]?.microBatch ?? 0;
  const overtaken = (s.losses.at(-1)?.microBatch ?? -1) >= first;
  const before = overtaken ? s.losses.filter((record) => record.microBatch < first) : s.losses;
  return {
    microBatch: (records.at(-1)?.microBatch ?? s.microBatch - 1) + 1,
    losses: thin([...before, ...records], (record) => record.microBatch),
    // A sampled step comes without a rate.
    stepsPerSecond: stepsPerSecond || s.stepsPerSecond,
  };
}

function withSnapshot(s: AppState, snapshot: Snapshot): Partial<AppState> {
  const { step, trainLoss, testLoss, trainAccuracy, testAccuracy } = snapshot;
  const before = s.evaluations.filter((kept) => kept.step < step);
  const evaluation = { step, trainLoss, testLoss, trainAccuracy, testAccuracy };
  const evaluations = thin([...before, evaluation], (kept) => kept.step);
  const value = snapshot.differenceFromSingle;
  const differences = value === undefined ? s.differences : withDifference(s.differences, { step, value });
  return { snapshot, evaluations, differences, texts: withText(s.texts, snapshot) };
}

function withCursor(s: AppState, { trace, event }: Cursor, fraction: number): Partial<AppState> {
  const kept = s.traces[clamp(trace, 0, s.traces.length - 1)];
  if (!kept) return s;
  const index = s.traces.indexOf(kept);
  const at = clamp(event, -1, kept.events.length - 1);
  const same = s.cursor?.trace === index && s.cursor.event === at;
  const cursorFraction = clamp(fraction, 0, 1);
  // With reduced motion the cursor stays at a moment for a while: nothing is drawn anew.
  if (same && s.cursorFraction === cursorFraction) return s;
  const leaves = s.cursor !== undefined && s.cursor.trace !== index;
  return {
    cursor: same && s.cursor ? s.cursor : { trace: index, event: at },
    cursorFraction,
    ...(leaves ? { hovered: undefined, pinned: undefined } : {}),
  };
}

export function createAppStore(config: Config, view: ViewOptions, pace: Pace = BEGINNING): AppStore {
  return createStore<App>()((set) => ({
    ...view,
    config,
    ...START,
    ...NOTHING_RAN,
    microBatch: 0,
    pace,

    setConfig: (next) => set({ config: next }),
    setInfo: (info) => set({ info }),
    setState: (state, busy = '') =>
      set((s) => ({ state, busy, ...(state === 'playing' ? { notices: s.notices.map(withoutPlayHint) } : {}) })),
    setMicroBatch: (microBatch) => set((s) => ({ microBatch, ...keptBefore(s, microBatch) })),
    setPausing: (pausing) => set((s) => (s.pausing === pausing ? s : { pausing })),
    setStandstill: (standstill) => set({ standstill }),
    setView: (next) => set(next),
    setClock: (clock) => set({ clock }),
    setPace: (next) => set({ pace: next }),
    setNewcomer: (newcomer) => set({ newcomer }),
    setGoingTo: (goingTo) => set((s) => (s.goingTo === goingTo ? s : { goingTo })),
    setSplit: (split) => set({ split }),
    showMemory: (memoryOf) => set({ memoryOf }),
    setRefusedLayer: (refusedLayer) => set({ refusedLayer }),
    addCsv: (csv) => set((s) => ({ csvFiles: { ...s.csvFiles, [csv.file]: csv } })),
    setDraft: (draft) => set({ draft }),
    addNotice: (notice) => set((s) => ({ notices: [...s.notices.filter((n) => n.id !== notice.id), notice] })),
    dismissNotice: (id) => set((s) => ({ notices: s.notices.filter((n) => n.id !== id) })),
    addTrace: (trace) => set((s) => withTrace(s, trace)),
    showConstruct: () => set(withConstruct),
    addLosses: (records, stepsPerSecond) => set((s) => withLosses(s, records, stepsPerSecond)),
    setSnapshot: (snapshot) => set((s) => withSnapshot(s, snapshot)),
    addDifference: (difference) => set((s) => ({ differences: withDifference(s.differences, difference) })),
    clearRun: (microBatch = 0) => set({ ...NOTHING_RAN, microBatch }),
    hover: (event) => set((s) => (s.hovered === event ? s : { hovered: event })),
    hoverBucket: (bucket) => set((s) => (s.hoveredBucket === bucket ? s : { hoveredBucket: bucket })),
    pin: (event) => set((s) => ({ pinned: s.pinned === event ? undefined : event })),
    seek: (trace, event, fraction = 1) => set((s) => withCursor(s, { trace, event }, fraction)),
  }));
}
