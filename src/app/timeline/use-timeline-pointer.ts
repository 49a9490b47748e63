/**
 * Pointer and wheel on the timeline: a click goes to an event and pins it, a drag scrubs, with Shift or two fingers it
 * pans, two fingers and the wheel zoom about where they are, a double click shows the whole step. Says what happened
 * through its callbacks; draws nothing.
 */
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { Point } from '../draw/geometry';
import { hitTest } from '../draw/hit-regions';
import type { TimelineModel } from './timeline-model';
import type { TimelineItem } from './timeline-scene';
import { pan, type ViewWindow, WHOLE, zoom } from './view-window';

export interface TimelineHands {
  readonly model: TimelineModel;
  onView(view: ViewWindow): void;
  onScrub(x: number): void;
  onPick(item: TimelineItem): void;
  onPoint(item: TimelineItem | undefined): void;
}

const MOVED = 4;
const FINGER = 10;
const MOUSE = 1;
const WHEEL_SPEED = 0.0022;

type Drag = 'press' | 'scrub' | 'pan';

/** A page that scrolls keeps its wheel; there Ctrl or Command zooms, as maps do it. */
const pageScrolls = (): boolean => document.documentElement.scrollHeight > window.innerHeight + 1;

export function useTimelinePointer(target: RefObject<HTMLElement | null>, hands: TimelineHands) {
  const latest = useRef(hands);
  latest.current = hands;
  const fingers = useRef(new Map<number, Point>());
  const drag = useRef<{ readonly start: Point; kind: Drag } | undefined>(undefined);

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
    hitTest(latest.current.model.scene?.items ?? [], point, event.pointerType === 'mouse' ? MOUSE : FINGER);

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

  return {
    onPointerDown(event: PointerEvent) {
      const point = at(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, point);
      if (fingers.current.size === 1) drag.current = { start: point, kind: event.shiftKey ? 'pan' : 'press' };
      else drag.current = undefined;
    },
    onPointerMove(event: PointerEvent) {
      const { model, onView, onScrub, onPoint } = latest.current;
      const point = at(event);
      const before = fingers.current.get(event.pointerId);
      if (fingers.current.size === 2) pinch(event.pointerId, point);
      else if (drag.current && before) {
        const { start } = drag.current;
        if (drag.current.kind === 'press' && Math.hypot(point.x - start.x, point.y - start.y) > MOVED)
          drag.current.kind = 'scrub';
        if (drag.current.kind === 'scrub') onScrub(point.x);
        if (drag.current.kind === 'pan')
          onView(pan(model.view, -(point.x - before.x) / (target.current?.clientWidth || 1)));
      } else onPoint(itemAt(event, point));
      if (before) fingers.current.set(event.pointerId, point);
    },
    onPointerUp(event: PointerEvent) {
      const { onPick, onScrub } = latest.current;
      const point = at(event);
      if (drag.current?.kind === 'press') {
        const item = itemAt(event, point);
        if (item?.event !== undefined) onPick(item);
        else onScrub(point.x);
      }
      fingers.current.delete(event.pointerId);
      drag.current = undefined;
    },
    onPointerCancel(event: PointerEvent) {
      fingers.current.delete(event.pointerId);
      drag.current = undefined;
    },
    onPointerLeave: () => latest.current.onPoint(undefined),
    onDoubleClick: () => latest.current.onView(WHOLE),
  };
}
