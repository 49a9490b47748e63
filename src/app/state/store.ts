/**
 * The state of the page: one vanilla zustand store. It uses no DOM, no worker and no clock. app-state.ts defines its
 * types, kept-run.ts what it keeps of a run.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import { BEGINNING, type Pace } from '../pace/pace';
import type { ViewOptions } from '../permalink/permalink-view';
import type { App, AppState } from './app-state';
import { withDifference } from './difference-history';
import {
  keptBefore,
  NOTHING_RAN,
  withConstruct,
  withCursor,
  withLosses,
  withSnapshot,
  withTrace,
  withTraceReplaced,
} from './kept-run';

export type AppStore = StoreApi<App>;

const withoutPlayHint = (notice: Notice): Notice => (notice.untilPlay ? { ...notice, hint: '' } : notice);

/** The initial state of a page, before a run is open. */
const START = {
  info: undefined,
  notices: [],
  state: 'loading',
  busy: '',
  pausing: false,
  clock: 'modelled',
  split: undefined,
  stageCode: 'none',
  hoveredBucket: undefined,
  newcomer: false,
  goingTo: undefined,
  slices: new Map(),
  memoryOf: undefined,
  refusedConfig: undefined,
  offeredConfig: undefined,
  refusedLayer: undefined,
} satisfies Partial<AppState>;

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
    setStageCode: (stageCode) => set({ stageCode }),
    showMemory: (memoryOf) => set({ memoryOf }),
    setRefusedConfig: (refusedConfig, offeredConfig) => set({ refusedConfig, offeredConfig }),
    setRefusedLayer: (refusedLayer) => set({ refusedLayer }),
    addNotice: (notice) => set((s) => ({ notices: [...s.notices.filter((n) => n.id !== notice.id), notice] })),
    dismissNotice: (id) => set((s) => ({ notices: s.notices.filter((n) => n.id !== id) })),
    addTrace: (trace) => set((s) => withTrace(s, trace)),
    replaceTrace: (trace) => set((s) => withTraceReplaced(s, trace)),
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
