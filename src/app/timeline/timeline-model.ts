/**
 * The timeline's state between two frames: the parts of the trace on the chosen clock, the window in view, the last
 * painted scene. No DOM, no React; one per mounted timeline.
 */
import { once } from '../../base/once';
import { FACES } from '../../parallel/faces';
import type { Clock, StepTrace } from '../../protocol/trace';
import { type Causes, createCauses } from '../../trace/causes';
import { type CriticalPath, criticalPath } from '../../trace/critical-path';
import { createWalkTime, type WalkTime } from '../../trace/walk-time';
import type { Rect } from '../draw/geometry';
import { type LanesModel, shareAcross } from '../lanes/lanes';
import { cursorAt, timeAt } from '../lanes/time-axis';
import { follow, type ViewWindow, WHOLE } from '../lanes/view-window';
import type { App } from '../state/app-state';
import { type LaneParts, lanePartsOf } from './lane-parts';
import { layoutTimeline, type TimelineLayout } from './timeline-layout';
import { rectOf, type TimelineItem, type TimelineScene, timelineScene } from './timeline-scene';

export interface EventPlace {
  readonly event: number;
  readonly fraction: number;
}

export interface PanelSize {
  readonly width: number;
  readonly height: number | undefined;
}

export interface TimelineModel extends LanesModel<TimelineItem> {
  /** The layout for the panel's size; the panel has a height only if the page fixes it. */
  layout(app: App, panel: PanelSize): TimelineLayout;
  look(app: App, panel: PanelSize): TimelineScene;
  /** The last scene that look() made. */
  scene: TimelineScene | undefined;
  /** The cursor's place for a point on the canvas. */
  placeAt(app: App, x: number): EventPlace | undefined;
  /** The lanes of the shown step; undefined before a step has run. */
  parts(app: App): LaneParts | undefined;
  causes(app: App): Causes | undefined;
  path(app: App): CriticalPath | undefined;
  /** The rectangle of an event, even if it is out of view. */
  rectOf(app: App, event: number): Rect | undefined;
}

interface Prepared {
  readonly trace: StepTrace;
  readonly clock: Clock;
  readonly parts: LaneParts;
  readonly walk: WalkTime;
  readonly causes: () => Causes;
  readonly path: () => CriticalPath;
}

const traceOf = (app: App): StepTrace | undefined => app.cursor && app.traces[app.cursor.trace];

export function createTimelineModel(): TimelineModel {
  let prepared: Prepared | undefined;
  /** The scene without the cursor, and the inputs from which it was made. */
  let still:
    | { readonly scene: TimelineScene; readonly parts: LaneParts; readonly view: ViewWindow; readonly panel: PanelSize }
    | undefined;

  const prepare = (app: App, trace: StepTrace): Prepared => {
    if (prepared?.trace !== trace || prepared.clock !== app.clock) {
      const { clock } = app;
      const parts = lanePartsOf(trace, clock, app.info?.worldSize ?? 1);
      const causes = once(() => createCauses(trace, clock));
      const path = once(() => criticalPath(causes()));
      prepared = { trace, clock, parts, walk: createWalkTime(trace, clock), causes, path };
    }
    return prepared;
  };
  const now = (app: App): Prepared | undefined => {
    const trace = traceOf(app);
    return trace && prepare(app, trace);
  };
  const layout = (app: App, { width, height }: PanelSize): TimelineLayout => {
    const devices = app.info?.worldSize ?? 1;
    return layoutTimeline(width, devices, devices > 1, height);
  };
  const model: TimelineModel = {
    layout,
    look(app, panel) {
      const at = layout(app, panel);
      const trace = traceOf(app);
      if (!trace || !app.cursor) {
        model.scene = { layout: at, rows: [], ticks: [], cursorX: undefined, cursorShare: undefined, items: [] };
        return model.scene;
      }
      const { parts, walk } = prepare(app, trace);
      const cursorUs = walk.timeOf({ event: app.cursor.event, fraction: app.cursorFraction });
      if (app.state === 'playing' && parts.totalUs > 0) model.view = follow(model.view, cursorUs / parts.totalUs);
      const { view } = model;
      if (still?.parts !== parts || still.view !== view || still.panel !== panel) {
        const made = timelineScene({
          layout: at,
          trace,
          parts,
          view,
          ranks: app.info !== undefined && FACES[app.info.config.mode].processPerDevice === true,
          nodes: app.info && app.info.config.nodes > 1 ? app.info.environment.map((one) => one.GROUP_RANK) : undefined,
        });
        still = { scene: made, parts, view, panel };
      }
      const cursorX = cursorAt(still.scene.layout, parts.totalUs, view, cursorUs);
      model.scene = { ...still.scene, cursorX, cursorShare: parts.totalUs > 0 ? cursorUs / parts.totalUs : 0 };
      return model.scene;
    },
    scene: undefined,
    view: WHOLE,
    band: undefined,
    placeAt(app, x) {
      const { scene, view } = model;
      const trace = traceOf(app);
      if (!trace || !scene) return undefined;
      const { parts, walk } = prepare(app, trace);
      return walk.positionAt(timeAt(scene.layout, parts.totalUs, view)(x));
    },
    across: (x) => shareAcross(model.scene, x),
    parts: (app) => now(app)?.parts,
    causes: (app) => now(app)?.causes(),
    path: (app) => now(app)?.path(),
    rectOf(app, event) {
      const known = now(app);
      const { scene, view } = model;
      return known && scene && rectOf({ layout: scene.layout, trace: known.trace, parts: known.parts, view }, event);
    },
  };
  return model;
}
