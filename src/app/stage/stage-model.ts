/**
 * The stage's state between two frames: the plan while trace and size stay, the derivations of the trace, and the last
 * painted scene, which pointer and keyboard query. No DOM, no React; one per mounted stage.
 */
import { Part } from '../../base/part';
import type { SessionInfo } from '../../protocol/session-info';
import type { StepTrace } from '../../protocol/trace';
import type { Packet } from '../../trace/packets';
import type { Size } from '../draw/geometry';
import type { App } from '../state/app-state';
import { atLiveEdge, stepShown } from '../transport/positions';
import { NO_RANKS } from './exchanges';
import type { StageFacts } from './facts';
import { createTraceFacts, type TraceFacts } from './facts-at';
import { forTab } from './facts-for-tab';
import { inStandstill } from './facts-in-standstill';
import type { LargeRoom } from './large-room';
import { type EndedStep, replicasApart } from './replicas-apart';
import { planStage, type StagePlan, stageScene } from './scene';
import type { ChosenTab, StageScene } from './scene-types';
import type { StepPicture } from './step-picture';

export interface StageModel {
  /** The layout for this size, computed again if something has changed; undefined before a session is open. */
  plan(app: App, size: Size): StagePlan | undefined;
  /** The scene at the store's cursor; kept as `scene` for pointer and keyboard. */
  look(app: App, size: Size, chosen?: ChosenTab, opened?: number): StageScene | undefined;
  readonly scene: StageScene | undefined;
  /** The picture of the shown trace; undefined before a step has run. */
  readonly step: StepPicture | undefined;
}

export const LARGE_ROOM = new Part(
  'The room that is shown large',
  async () => (await import('./large-room')).createLargeRoom,
);

const NO_PACKETS: readonly Packet[] = [];

/** The facts before the first traced step: rooms and shapes without values. */
function nothingYet(info: SessionInfo): StageFacts {
  return {
    event: -1,
    done: -1,
    step: undefined,
    content: () => undefined,
    known: () => 0,
    now: () => ({ activity: 'ahead', phase: undefined, module: '', words: ['not begun', 'idle'], event: undefined }),
    memory: (device) => {
      const planned = info.memory.find((m) => m.device === device);
      return { bytes: {}, peakBytes: planned?.peakBytes ?? 0, budgetBytes: planned?.budgetBytes ?? 0 };
    },
    contributors: () => NO_RANKS,
    sends: () => false,
    arrival: () => undefined,
    view: () => ({ shows: 'weights' }),
    wire: () => undefined,
    fresh: () => false,
    under: () => false,
    moving: [],
    transits: [],
  };
}

/** If the cursor is at the end of the newest step: that step, with the difference between its replicas. */
function endedStep(app: App): EndedStep | undefined {
  const { info, snapshot, traces, state } = app;
  if (!info || state === 'playing' || traces.length === 0 || !atLiveEdge(app)) return undefined;
  return { info, snapshot, step: stepShown(app, false) };
}

export function createStageModel(): StageModel {
  let facts: { readonly info: SessionInfo; readonly trace: StepTrace; readonly of: TraceFacts } | undefined;
  let plan: StagePlan | undefined;
  let planned: Size | undefined;
  let scene: StageScene | undefined;
  let large: LargeRoom | undefined;

  const factsOf = (info: SessionInfo, trace: StepTrace): TraceFacts => {
    if (facts?.trace !== trace || facts.info !== info) facts = { info, trace, of: createTraceFacts(info, trace) };
    return facts.of;
  };
  const planFor = (app: App, size: Size): StagePlan | undefined => {
    const { info, cursor, traces } = app;
    if (!info || size.width <= 0) return undefined;
    const trace = cursor && traces[cursor.trace];
    const same =
      plan?.info === info && plan.trace === trace && planned?.width === size.width && planned.height === size.height;
    if (!same) {
      plan = planStage(info, trace, trace ? factsOf(info, trace).packets : NO_PACKETS, size);
      planned = size;
    }
    return plan;
  };
  return {
    plan: planFor,
    look(app, size, chosen, opened) {
      const now = planFor(app, size);
      if (!now) {
        scene = undefined;
        return undefined;
      }
      const { info, trace } = now;
      const position = { event: app.cursor?.event ?? -1, fraction: app.cursorFraction };
      const facts = trace ? factsOf(info, trace).at(position, app.clock) : nothingYet(info);
      const shown = forTab(facts, chosen);
      const stands = app.standstill ? inStandstill(shown, app.standstill, info) : shown;
      const rooms = stageScene(now, stands);
      if (opened !== undefined) large ??= LARGE_ROOM.now()?.();
      const room = opened === undefined ? undefined : large?.look(now, stands, opened);
      scene = {
        ...rooms,
        apart: replicasApart(now.layout.rooms, endedStep(app)),
        ...(room ? { opened: room, items: room.items } : {}),
      };
      return scene;
    },
    get scene() {
      return scene;
    },
    get step() {
      return facts && plan?.trace === facts.trace ? facts.of.step : undefined;
    },
  };
}
