/**
 * Pointer and wheel on the pipeline picture: a press picks the item under it; a drag moves the view, or a cell in the
 * editor; the wheel zooms with Ctrl, and also without Ctrl if nothing scrolls. Draws nothing.
 */
import { type PointerEvent, type RefObject, useRef } from 'react';
import type { Point } from '../draw/geometry';
import { hitTest } from '../draw/hit-regions';
import { hasMoved, pointIn } from '../lanes/pointer';
import { useWheel } from '../lanes/use-wheel';
import { pan, type ViewWindow, WHOLE, zoom } from '../lanes/view-window';
import type { PictureScene } from './paint-picture';
import type { PictureItem } from './picture-items';
import { scaleOf, stretchIn } from './picture-layout';

/** Moving a cell by hand. */
export interface Grip {
  /** Whether the item can be dragged. */
  readonly take: (item: PictureItem) => boolean;
  readonly move: (item: PictureItem, to: Point, scene: PictureScene) => void;
  /** `to` undefined: the drag was cancelled. */
  readonly drop: (item: PictureItem, to: Point | undefined, scene: PictureScene) => void;
}

export interface PictureHands {
  readonly scene: PictureScene;
  readonly items: readonly (readonly PictureItem[])[];
  /** Whether the wheel scrolls the panel or the page. */
  readonly scrolls: () => boolean;
  readonly onView: (view: ViewWindow) => void;
  readonly onPoint: (item: PictureItem | undefined) => void;
  readonly onPick: (item: PictureItem) => void;
  readonly grip: Grip | undefined;
}

const FINGER = 8;
const MOUSE = 1;

interface Drag {
  readonly start: Point;
  last: Point;
  readonly item: PictureItem | undefined;
  kind: 'press' | 'pan' | 'carry';
}

/** The item at a point of the canvas. */
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
  const widthOf = (): number => {
    const { left, right } = latest.current.scene.layout;
    return Math.max(1, right - left);
  };
  const across = (x: number): number => {
    const { left } = latest.current.scene.layout;
    return Math.min(1, Math.max(0, (x - left) / widthOf()));
  };
  useWheel(target, {
    scrolls: () => latest.current.scrolls(),
    pan: (pixels) => latest.current.onView(pan(latest.current.scene.view, pixels / widthOf())),
    zoom: (factor, x) => latest.current.onView(zoom(latest.current.scene.view, factor, across(x))),
  });

  const under = (event: PointerEvent, point: Point) =>
    itemAt(latest.current, point, event.pointerType === 'mouse' ? MOUSE : FINGER);

  const begin = (one: Drag): Drag['kind'] => (one.item && latest.current.grip?.take(one.item) ? 'carry' : 'pan');

  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return;
      const start = pointIn(event);
      event.currentTarget.setPointerCapture(event.pointerId);
      drag.current = { start, last: start, item: under(event, start), kind: 'press' };
    },
    onPointerMove(event: PointerEvent) {
      const point = pointIn(event);
      const one = drag.current;
      const { scene, grip, onView, onPoint } = latest.current;
      if (!one) {
        onPoint(under(event, point));
        return;
      }
      if (one.kind === 'press' && hasMoved(one.start, point)) {
        one.kind = begin(one);
        onPoint(undefined);
      }
      if (one.kind === 'carry' && one.item) grip?.move(one.item, point, scene);
      if (one.kind === 'pan') onView(pan(scene.view, -(point.x - one.last.x) / widthOf()));
      one.last = point;
    },
    onPointerUp(event: PointerEvent) {
      const one = drag.current;
      drag.current = undefined;
      if (!one) return;
      const { grip, onPick, scene } = latest.current;
      if (one.kind === 'press' && one.item) onPick(one.item);
      if (one.kind === 'carry' && one.item) grip?.drop(one.item, pointIn(event), scene);
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
