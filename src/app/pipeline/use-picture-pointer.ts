/**
 * Pointer and wheel on the pipeline picture: a press picks what is under it, a drag moves the view, or the cell where
 * cells can be moved; the wheel zooms with Ctrl, and alone where nothing scrolls. Draws nothing.
 */
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { Point } from '../draw/geometry';
import { hitTest } from '../draw/hit-regions';
import { pan, type ViewWindow, WHOLE, zoom } from '../timeline/view-window';
import type { PictureScene } from './paint-picture';
import type { PictureItem } from './picture-items';
import { scaleOf, stretchIn } from './picture-layout';

/** Moving a cell by hand. */
export interface Grip {
  /** Whether it can be taken. */
  readonly take: (item: PictureItem) => boolean;
  readonly move: (item: PictureItem, to: Point, scene: PictureScene) => void;
  /** `to` undefined: the drag was given up. */
  readonly drop: (item: PictureItem, to: Point | undefined, scene: PictureScene) => void;
}

export interface PictureHands {
  readonly scene: PictureScene;
  readonly items: readonly (readonly PictureItem[])[];
  /** The panel, or the page, takes the wheel. */
  readonly scrolls: () => boolean;
  readonly onView: (view: ViewWindow) => void;
  readonly onPoint: (item: PictureItem | undefined) => void;
  readonly onPick: (item: PictureItem) => void;
  readonly grip: Grip | undefined;
}

const MOVED = 4;
const FINGER = 8;
const MOUSE = 1;
const WHEEL_SPEED = 0.0022;

interface Drag {
  readonly start: Point;
  last: Point;
  readonly item: PictureItem | undefined;
  kind: 'press' | 'pan' | 'carry';
}

const pageScrolls = (): boolean => document.documentElement.scrollHeight > window.innerHeight + 1;

/** What is drawn at a point of the canvas. */
function itemAt({ scene, items }: PictureHands, point: Point, margin: number): PictureItem | undefined {
  const { layout, picture, view } = scene;
  const rank = layout.rows.findIndex(({ name }) => point.y >= name.y && point.y < name.y + name.height + 4);
  const lane = layout.rows[rank]?.cells;
  if (!lane) return undefined;
  const scale = scaleOf(layout, picture, view);
  const found = (items[rank] ?? []).flatMap((item) => {
    const rect = stretchIn(layout, lane, scale, item);
    return rect ? [{ id: item.id, item, rect }] : [];
  });
  return hitTest(found, point, margin)?.item;
}

export function usePicturePointer(target: RefObject<HTMLElement | null>, hands: PictureHands) {
  const latest = useRef(hands);
  latest.current = hands;
  const drag = useRef<Drag | undefined>(undefined);
  const across = (x: number): number => {
    const { left, right } = latest.current.scene.layout;
    return Math.min(1, Math.max(0, (x - left) / Math.max(1, right - left)));
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: what the handler reads is always the latest
  useEffect(() => {
    const element = target.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      const { scene, onView, scrolls } = latest.current;
      const { view, layout } = scene;
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      const asked = event.ctrlKey || event.metaKey;
      if (!sideways && !asked && (scrolls() || pageScrolls())) return;
      event.preventDefault();
      const x = event.clientX - element.getBoundingClientRect().left;
      if (sideways) onView(pan(view, (event.deltaX || event.deltaY) / Math.max(1, layout.right - layout.left)));
      else onView(zoom(view, Math.exp(-event.deltaY * WHEEL_SPEED * (event.ctrlKey ? 4 : 1)), across(x)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [target]);

  const at = (event: PointerEvent): Point => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const under = (event: PointerEvent, point: Point) =>
    itemAt(latest.current, point, event.pointerType === 'mouse' ? MOUSE : FINGER);

  const begin = (one: Drag): Drag['kind'] => (one.item && latest.current.grip?.take(one.item) ? 'carry' : 'pan');

  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      const start = at(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { start, last: start, item: under(event, start), kind: 'press' };
    },
    onPointerMove(event: PointerEvent) {
      const point = at(event);
      const one = drag.current;
      const { scene, grip, onView, onPoint } = latest.current;
      if (!one) {
        onPoint(under(event, point));
        return;
      }
      if (one.kind === 'press' && Math.hypot(point.x - one.start.x, point.y - one.start.y) > MOVED) {
        one.kind = begin(one);
        onPoint(undefined);
      }
      if (one.kind === 'carry' && one.item) grip?.move(one.item, point, scene);
      if (one.kind === 'pan') {
        const { left, right } = scene.layout;
        onView(pan(scene.view, -(point.x - one.last.x) / Math.max(1, right - left)));
      }
      one.last = point;
    },
    onPointerUp(event: PointerEvent) {
      const one = drag.current;
      drag.current = undefined;
      if (!one) return;
      const { grip, onPick, scene } = latest.current;
      if (one.kind === 'press' && one.item) onPick(one.item);
      if (one.kind === 'carry' && one.item) grip?.drop(one.item, at(event), scene);
    },
    onPointerCancel() {
      const one = drag.current;
      drag.current = undefined;
      if (one?.kind === 'carry' && one.item) latest.current.grip?.drop(one.item, undefined, latest.current.scene);
    },
    onPointerLeave() {
      if (!drag.current) latest.current.onPoint(undefined);
    },
    onDoubleClick: () => latest.current.onView(WHOLE),
  };
}
