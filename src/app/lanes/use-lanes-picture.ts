/**
 * The canvas of lanes over time: when it is painted again, how far its lanes are scrolled, and the lanes as a picture
 * to save. Each timeline supplies the size and the painter.
 */
import { type RefObject, type UIEvent, useCallback, useRef } from 'react';
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import type { ScaleInterval } from '../draw/scales';
import { useInk } from '../draw/use-ink';
import type { Painted } from '../draw/use-surface';
import type { LanesModel } from './lanes';

/** What the painter shows besides the lanes. */
export interface ShownInLanes<Pointed> {
  /** The item under the pointer. */
  readonly pointed: Pointed | undefined;
  /** The number of pixels by which the lanes are scrolled. */
  readonly top: number;
  /** The stretch that the user is dragging along the axis. */
  readonly band: ScaleInterval | undefined;
}

interface PictureUse<Pointed> {
  readonly model: LanesModel;
  /** The element around the canvas, which scrolls. */
  readonly view: RefObject<HTMLDivElement | null>;
  /** Must stay the same object while its numbers do. */
  readonly size: Size;
  readonly pointed: Pointed | undefined;
  /** Undefined while there is nothing to paint. */
  readonly painter: (shown: ShownInLanes<Pointed>) => ((ink: Ink) => void) | undefined;
}

export interface LanesPicture extends Painted {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly view: RefObject<HTMLDivElement | null>;
  readonly size: Size;
  /** All lanes as they are now, with nothing under the pointer, to save as a picture. */
  saved(): (Size & { readonly paint: (ink: Ink) => void }) | undefined;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
}

export function useLanesPicture<Pointed>(use: PictureUse<Pointed>): LanesPicture {
  const { model, view, size, pointed, painter } = use;
  const canvas = useRef<HTMLCanvasElement>(null);
  /** Reading it from the element in a frame would force a layout while drawing. */
  const scrolled = useRef(0);
  const draw = useCallback(
    (ink: Ink) => painter({ pointed, top: scrolled.current, band: model.band })?.(ink),
    [painter, pointed, model],
  );
  const { request, onPainted } = useInk(canvas, size, draw);
  const onScroll = (event: UIEvent<HTMLElement>) => {
    scrolled.current = event.currentTarget.scrollTop;
    request();
  };
  const saved = () => {
    const paint = painter({ pointed: undefined, top: 0, band: undefined });
    return paint && { ...size, paint };
  };
  return { canvas, view, size, saved, request, onPainted, onScroll };
}
