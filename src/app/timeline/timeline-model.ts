/**
 * What the timeline keeps between two frames: the parts of the trace on the chosen clock, the window that is in view,
 * the scene that was painted last. No DOM, no React; one per mounted timeline.
 */
import { FACES } from '../../parallel/faces';
import type { Clock, StepTrace } from '../../protocol/trace';
import { createWalkTime, type WalkTime } from '../../trace/walk-time';
import type { App } from '../state/store';
import { type LaneParts, lanePartsOf } from './lane-parts';
import { layoutTimeline, type TimelineLayout } from './timeline-layout';
import { cursorAt, type TimelineScene, timeAt, timelineScene } from './timeline-scene';
import { follow, type ViewWindow, WHOLE } from './view-window';

export interface Place {
  readonly event: number;
  readonly fraction: number;
}

export interface TimelineModel {
  layout(app: App, width: number): TimelineLayout;
  look(app: App, width: number): TimelineScene;
  readonly scene: TimelineScene | undefined;
  view: ViewWindow;
  /** Where the cursor goes for a point on the canvas. */
  placeAt(app: App, x: number): Place | undefined;
  /** What is shown at x, 0..1 across the lanes. */
  across(x: number): number;
}

interface Prepared {
  readonly trace: StepTrace;
  readonly clock: Clock;
  readonly parts: LaneParts;
  readonly walk: WalkTime;
}

const traceOf = (app: App): StepTrace | undefined => app.cursor && app.traces[app.cursor.trace];

export function createTimelineModel(): TimelineModel {
  let prepared: Prepared | undefined;
  let scene: TimelineScene | undefined;
  /** The scene but for the cursor, and what it was made from. */
  let still:
    | { readonly scene: TimelineScene; readonly parts: LaneParts; readonly view: ViewWindow; readonly width: number }
    | undefined;
  let view = WHOLE;

  const prepare = (app: App, trace: StepTrace): Prepared => {
    if (prepared?.trace !== trace || prepared.clock !== app.clock) {
      const { clock } = app;
      const parts = lanePartsOf(trace, clock, app.info?.worldSize ?? 1);
      prepared = { trace, clock, parts, walk: createWalkTime(trace, clock) };
    }
    return prepared;
  };
  const layout = (app: App, width: number): TimelineLayout => {
    const devices = app.info?.worldSize ?? 1;
    return layoutTimeline(width, devices, devices > 1);
  };
  const model: TimelineModel = {
    layout,
    look(app, width) {
      const at = layout(app, width);
      const trace = traceOf(app);
      if (!trace || !app.cursor) {
        scene = { layout: at, rows: [], ticks: [], cursorX: undefined, items: [] };
        return scene;
      }
      const { parts, walk } = prepare(app, trace);
      const cursorUs = walk.timeOf({ event: app.cursor.event, fraction: app.cursorFraction });
      if (app.state === 'playing' && parts.totalUs > 0) view = follow(view, cursorUs / parts.totalUs);
      if (still?.parts !== parts || still.view !== view || still.width !== width) {
        const made = timelineScene({
          layout: at,
          trace,
          parts,
          view,
          ranks: app.info !== undefined && FACES[app.info.config.mode].processPerDevice === true,
        });
        still = { scene: made, parts, view, width };
      }
      scene = { ...still.scene, cursorX: cursorAt(still.scene.layout, parts.totalUs, view, cursorUs) };
      return scene;
    },
    get scene() {
      return scene;
    },
    get view() {
      return view;
    },
    set view(next) {
      view = next;
    },
    placeAt(app, x) {
      const trace = traceOf(app);
      if (!trace || !scene) return undefined;
      const { parts, walk } = prepare(app, trace);
      return walk.positionAt(timeAt(scene.layout, parts.totalUs, view)(x));
    },
    across(x) {
      if (!scene) return 0.5;
      const { left, right } = scene.layout;
      return Math.min(1, Math.max(0, (x - left) / Math.max(1, right - left)));
    },
  };
  return model;
}
