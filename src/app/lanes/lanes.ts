/**
 * Lanes over time, as what the timeline of a run and that of a recording have in common: a frame with the whole in
 * small and an axis, a window on it, and items that can be pointed at. Types and the frame's sizes; what lies in the
 * lanes is the business of each timeline.
 */
import { clamp, type Rect, type Size } from '../draw/geometry';
import type { HitItem } from '../draw/hit-regions';
import type { ScaleInterval } from '../draw/scales';
import type { ViewWindow } from './view-window';

export interface LanesFrame extends Size {
  /** All of the time in small, with a frame around what the lanes show. */
  readonly overview: Rect;
  readonly axis: Rect;
  /** What is drawn over time lies between these. */
  readonly left: number;
  readonly right: number;
}

/** What is drawn of the lanes at one moment. */
export interface LanesScene<Item extends HitItem = HitItem> {
  readonly layout: LanesFrame;
  readonly ticks: readonly { readonly x: number; readonly text: string }[];
  readonly cursorX: number | undefined;
  /** Of all of the time, 0..1. */
  readonly cursorShare: number | undefined;
  readonly items: readonly Item[];
}

/** What lanes keep between two frames, as pointer and keys change it. */
export interface LanesModel<Item extends HitItem = HitItem> {
  readonly scene: LanesScene<Item> | undefined;
  view: ViewWindow;
  /** The shortest window that may be opened; left out: that of a step. */
  readonly smallest?: number;
  /** The stretch that is being drawn along the axis, in pixels. */
  band: ScaleInterval | undefined;
  /** What is shown at x, 0..1 across the lanes. */
  across(x: number): number;
}

const OVERVIEW = { y: 3, height: 12 };
const AXIS = { y: 17, height: 22 };
/** Where the first lane may begin. */
export const HEAD = AXIS.y + AXIS.height;
const NARROW = 560;
const MARGIN = 20;
const MARGIN_NARROW = 10;

/** Everything but the height. `names`: the room left of the lanes, which begins at `margin`. */
export function frameOf(width: number): Omit<LanesFrame, 'height'> & {
  readonly margin: number;
  readonly names: number;
} {
  const narrow = width < NARROW;
  const margin = narrow ? MARGIN_NARROW : MARGIN;
  const names = narrow ? 56 : 72;
  const left = margin + names;
  const right = Math.max(left + 20, width - margin);
  const across = { x: left, width: right - left };
  return { width, overview: { ...across, ...OVERVIEW }, axis: { ...across, ...AXIS }, left, right, margin, names };
}

/** 0..1 across the lanes; their middle where nothing is pointed at. */
export const shareAcross = (scene: LanesScene | undefined, x: number): number =>
  !scene || Number.isNaN(x)
    ? 0.5
    : clamp((x - scene.layout.left) / Math.max(1, scene.layout.right - scene.layout.left), 0, 1);
