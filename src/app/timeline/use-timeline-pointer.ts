/**
 * Pointer and wheel on the timeline. On the lanes a press goes to a span and selects it, or asks a gap why it is there,
 * and a drag scrubs; with Shift, or with two fingers, it pans. A drag along the axis shows that stretch, one in the
 * small picture of the whole step moves the window or opens another. Two fingers and the wheel zoom about where they
 * are, a double click shows the whole step. Says what happened through its callbacks; draws nothing.
 */
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { bottom, type Point } from '../draw/geometry';
import { hitTest } from '../draw/hit-regions';
import type { TimelineModel } from './timeline-model';
import type { TimelineItem } from './timeline-scene';
import { between, pan, type ViewWindow, WHOLE, zoom } from './view-window';

export interface TimelineHands {
  readonly model: TimelineModel;
  /** By how much the lanes are scrolled under the axis. */
  top(): number;
  onView(view: ViewWindow): void;
  onScrub(x: number): void;
  onPick(item: TimelineItem): void;
  onPoint(item: TimelineItem | undefined): void;
}

const MOVED = 4;
const FINGER = 10;
const MOUSE = 1;
/** The handle of the cursor on the axis. */
const HANDLE = 9;
const WHEEL_SPEED = 0.0022;

type Zone = 'overview' | 'axis' | 'lanes';
type Drag = 'press' | 'scrub' | 'pan' | 'range' | 'window' | 'move';

interface Dragged {
  readonly start: Point;
  readonly zone: Zone;
  readonly before: ViewWindow;
  kind: Drag;
}

/** A page that scrolls keeps its wheel; there Ctrl or Command zooms, as maps do it. */
const pageScrolls = (): boolean => document.documentElement.scrollHeight > window.innerHeight + 1;

const shareAt = ({ view, across }: TimelineModel, x: number): number => view.from + across(x) * (view.to - view.from);

function zoneAt({ model, top }: TimelineHands, { y }: Point): Zone {
  const layout = model.scene?.layout;
  if (!layout || y - top() >= bottom(layout.axis) - 1) return 'lanes';
  return y - top() <= bottom(layout.overview) + 1 ? 'overview' : 'axis';
}

/** What a press that begins to move turns into. */
function dragOf(hands: TimelineHands, { zone, start, before }: Dragged): Drag {
  if (zone === 'lanes') return 'scrub';
  const { model } = hands;
  if (zone === 'axis') return Math.abs(start.x - (model.scene?.cursorX ?? Number.NaN)) <= HANDLE ? 'scrub' : 'range';
  const at = model.across(start.x);
  const whole = before.to - before.from >= 1;
  return !whole && at >= before.from && at <= before.to ? 'move' : 'window';
}

function dragTo(hands: TimelineHands, drag: Dragged, { x }: Point, width: number, lastX: number): void {
  const { model, onView, onScrub } = hands;
  const moved = model.across(x) - model.across(drag.start.x);
  if (drag.kind === 'scrub') onScrub(x);
  if (drag.kind === 'pan') onView(pan(model.view, -(x - lastX) / width));
  if (drag.kind === 'window') onView(between(model.across(drag.start.x), model.across(x)));
  if (drag.kind === 'move') onView(pan(drag.before, moved / (drag.before.to - drag.before.from)));
}

export function useTimelinePointer(target: RefObject<HTMLElement | null>, hands: TimelineHands) {
  const latest = useRef(hands);
  latest.current = hands;
  const fingers = useRef(new Map<number, Point>());
  const drag = useRef<Dragged | undefined>(undefined);

  useEffect(() => {
    const element = target.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      const { model, onView } = latest.current;
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (!sideways && !event.ctrlKey && !event.metaKey && pageScrolls()) return;
      event.preventDefault();
      const width = element.clientWidth || 1;
      const x = event.clientX - element.getBoundingClientRect().left;
      if (sideways) onView(pan(model.view, (event.deltaX || event.deltaY) / width));
      else onView(zoom(model.view, Math.exp(-event.deltaY * WHEEL_SPEED * (event.ctrlKey ? 4 : 1)), model.across(x)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [target]);

  const at = (event: PointerEvent): Point => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const itemAt = (event: PointerEvent, point: Point): TimelineItem | undefined =>
    zoneAt(latest.current, point) === 'lanes'
      ? hitTest(latest.current.model.scene?.items ?? [], point, event.pointerType === 'mouse' ? MOUSE : FINGER)
      : undefined;

  const pinch = (id: number, to: Point) => {
    const { model, onView } = latest.current;
    const from = fingers.current.get(id);
    const other = [...fingers.current].find(([key]) => key !== id)?.[1];
    if (!from || !other) return;
    const before = Math.max(10, Math.abs(from.x - other.x));
    const after = Math.max(10, Math.abs(to.x - other.x));
    const middle = (to.x + other.x) / 2;
    const zoomed = zoom(model.view, after / before, model.across(middle));
    const width = target.current?.clientWidth || 1;
    onView(pan(zoomed, -(to.x - from.x) / 2 / width));
  };
  const press = (event: PointerEvent, one: Dragged, point: Point) => {
    const { model, onPick, onScrub, onView } = latest.current;
    if (one.zone === 'overview') {
      const { from, to } = model.view;
      onView(pan(model.view, (model.across(point.x) - (from + to) / 2) / (to - from)));
      return;
    }
    const item = itemAt(event, point);
    if (item?.event === undefined) onScrub(point.x);
    if (item) onPick(item);
  };

  return {
    onPointerDown(event: PointerEvent) {
      const start = at(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, start);
      const { view } = latest.current.model;
      const kind = event.shiftKey ? 'pan' : 'press';
      drag.current =
        fingers.current.size === 1 ? { start, zone: zoneAt(latest.current, start), before: view, kind } : undefined;
    },
    onPointerMove(event: PointerEvent) {
      const point = at(event);
      const before = fingers.current.get(event.pointerId);
      const one = drag.current;
      if (fingers.current.size === 2) pinch(event.pointerId, point);
      else if (one && before) {
        if (one.kind === 'press' && Math.hypot(point.x - one.start.x, point.y - one.start.y) > MOVED)
          one.kind = dragOf(latest.current, one);
        if (one.kind === 'range') latest.current.model.band = { from: one.start.x, to: point.x };
        dragTo(latest.current, one, point, target.current?.clientWidth || 1, before.x);
        if (one.kind === 'range') latest.current.onView(latest.current.model.view);
      } else {
        latest.current.onPoint(itemAt(event, point));
        event.currentTarget.setAttribute('data-zone', zoneAt(latest.current, point));
      }
      if (before) fingers.current.set(event.pointerId, point);
    },
    onPointerUp(event: PointerEvent) {
      const point = at(event);
      const one = drag.current;
      const { model, onView } = latest.current;
      model.band = undefined;
      if (one?.kind === 'press') press(event, one, point);
      if (one?.kind === 'range') onView(between(shareAt(model, one.start.x), shareAt(model, point.x)));
      fingers.current.delete(event.pointerId);
      drag.current = undefined;
    },
    onPointerCancel(event: PointerEvent) {
      fingers.current.delete(event.pointerId);
      latest.current.model.band = undefined;
      drag.current = undefined;
    },
    onPointerLeave: () => latest.current.onPoint(undefined),
    onDoubleClick: () => latest.current.onView(WHOLE),
  };
}
