/**
 * Pointer and wheel on lanes over time. A press selects the span or the gap under the pointer, and a drag scrubs; a
 * drag with Shift, or with two fingers, pans. A drag along the axis zooms to the dragged stretch, a drag in the
 * overview moves the window or opens another. Two fingers and the wheel zoom about their place, a double click shows
 * everything. Reports through callbacks; draws nothing.
 */
import { type PointerEvent, type RefObject, useRef } from 'react';
import { bottom, type Point } from '../draw/geometry';
import { type HitItem, hitTest } from '../draw/hit-regions';
import type { LanesModel } from './lanes';
import { hasMoved, pointIn } from './pointer';
import { useWheel } from './use-wheel';
import { between, pan, type ViewWindow, WHOLE, zoom } from './view-window';

export interface LanesHands<Item extends HitItem> {
  readonly model: LanesModel<Item>;
  /** By how much the lanes are scrolled under the axis. */
  top(): number;
  /** There are more lanes than their panel shows. */
  scrolls?(): boolean;
  onView(view: ViewWindow): void;
  /** Left out: there is no cursor, and a drag pans. */
  onScrub?(x: number): void;
  /** undefined if the press hit nothing; `x`: the place of the press. */
  onPick(item: Item | undefined, x: number): void;
  onPoint(item: Item | undefined): void;
}

type AnyHands = Pick<LanesHands<HitItem>, 'top' | 'onView' | 'onScrub'> & { readonly model: LanesModel };

const FINGER = 10;
const MOUSE = 1;
/** The handle of the cursor on the axis. */
const HANDLE = 9;

type Zone = 'overview' | 'axis' | 'lanes';
type Drag = 'press' | 'scrub' | 'pan' | 'range' | 'window' | 'move';

interface Dragged {
  readonly start: Point;
  readonly zone: Zone;
  readonly before: ViewWindow;
  kind: Drag;
}

const shareAt = ({ view, across }: LanesModel, x: number): number => view.from + across(x) * (view.to - view.from);

function zoneAt({ model, top }: AnyHands, { y }: Point): Zone {
  const layout = model.scene?.layout;
  if (!layout || y - top() >= bottom(layout.axis) - 1) return 'lanes';
  return y - top() <= bottom(layout.overview) + 1 ? 'overview' : 'axis';
}

/** The kind of drag that a press becomes when the pointer moves. */
function dragOf(hands: AnyHands, { zone, start, before }: Dragged): Drag {
  if (zone === 'lanes') return hands.onScrub ? 'scrub' : 'pan';
  const { model } = hands;
  if (zone === 'axis') return Math.abs(start.x - (model.scene?.cursorX ?? Number.NaN)) <= HANDLE ? 'scrub' : 'range';
  const at = model.across(start.x);
  const whole = before.to - before.from >= 1;
  return !whole && at >= before.from && at <= before.to ? 'move' : 'window';
}

function dragTo(hands: AnyHands, drag: Dragged, { x }: Point, width: number, lastX: number): void {
  const { model, onView, onScrub } = hands;
  const moved = model.across(x) - model.across(drag.start.x);
  if (drag.kind === 'scrub') onScrub?.(x);
  if (drag.kind === 'pan') onView(pan(model.view, -(x - lastX) / width));
  if (drag.kind === 'window') onView(between(model.across(drag.start.x), model.across(x), model.smallest));
  if (drag.kind === 'move') onView(pan(drag.before, moved / (drag.before.to - drag.before.from)));
}

interface Pinch {
  /** The finger that moves. */
  readonly from: Point;
  readonly to: Point;
  readonly other: Point;
}

/** Zooms as two fingers part or close, and pans with their middle. */
function pinched({ view, across, smallest }: LanesModel, { from, to, other }: Pinch, width: number): ViewWindow {
  const before = Math.max(10, Math.abs(from.x - other.x));
  const after = Math.max(10, Math.abs(to.x - other.x));
  const middle = (to.x + other.x) / 2;
  return pan(zoom(view, after / before, across(middle), smallest), -(to.x - from.x) / 2 / width);
}

/** A window of the same length around a place in the overview. */
const movedTo = ({ view, across }: LanesModel, x: number): ViewWindow =>
  pan(view, (across(x) - (view.from + view.to) / 2) / (view.to - view.from));

export function useLanesPointer<Item extends HitItem>(target: RefObject<HTMLElement | null>, hands: LanesHands<Item>) {
  const latest = useRef(hands);
  latest.current = hands;
  const fingers = useRef(new Map<number, Point>());
  const drag = useRef<Dragged | undefined>(undefined);

  const widthOf = (): number => target.current?.clientWidth || 1;
  useWheel(target, {
    scrolls: () => latest.current.scrolls?.() === true,
    pan: (pixels) => latest.current.onView(pan(latest.current.model.view, pixels / widthOf())),
    zoom(factor, x) {
      const { model, onView } = latest.current;
      onView(zoom(model.view, factor, model.across(x), model.smallest));
    },
  });

  const itemAt = (event: PointerEvent, point: Point): Item | undefined =>
    zoneAt(latest.current, point) === 'lanes'
      ? hitTest(latest.current.model.scene?.items ?? [], point, event.pointerType === 'mouse' ? MOUSE : FINGER)
      : undefined;

  const pinch = (id: number, to: Point) => {
    const { model, onView } = latest.current;
    const from = fingers.current.get(id);
    const other = [...fingers.current].find(([key]) => key !== id)?.[1];
    if (from && other) onView(pinched(model, { from, to, other }, widthOf()));
  };
  const press = (event: PointerEvent, one: Dragged, point: Point) => {
    const { model, onPick, onView } = latest.current;
    if (one.zone === 'overview') onView(movedTo(model, point.x));
    else onPick(itemAt(event, point), point.x);
  };

  return {
    onPointerDown(event: PointerEvent) {
      const start = pointIn(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, start);
      const { view } = latest.current.model;
      const kind = event.shiftKey ? 'pan' : 'press';
      drag.current =
        fingers.current.size === 1 ? { start, zone: zoneAt(latest.current, start), before: view, kind } : undefined;
    },
    onPointerMove(event: PointerEvent) {
      const point = pointIn(event);
      const before = fingers.current.get(event.pointerId);
      const one = drag.current;
      if (fingers.current.size === 2) pinch(event.pointerId, point);
      else if (one && before) {
        if (one.kind === 'press' && hasMoved(one.start, point)) one.kind = dragOf(latest.current, one);
        if (one.kind === 'range') latest.current.model.band = { from: one.start.x, to: point.x };
        dragTo(latest.current, one, point, widthOf(), before.x);
        if (one.kind === 'range') latest.current.onView(latest.current.model.view);
      } else {
        latest.current.onPoint(itemAt(event, point));
        event.currentTarget.setAttribute('data-zone', zoneAt(latest.current, point));
      }
      if (before) fingers.current.set(event.pointerId, point);
    },
    onPointerUp(event: PointerEvent) {
      const point = pointIn(event);
      const one = drag.current;
      const { model, onView } = latest.current;
      model.band = undefined;
      if (one?.kind === 'press') press(event, one, point);
      if (one?.kind === 'range') {
        onView(between(shareAt(model, one.start.x), shareAt(model, point.x), model.smallest));
      }
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
