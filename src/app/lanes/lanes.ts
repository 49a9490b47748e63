/**
 * Lanes over time, shared by the timeline of a run and that of a recording: a frame with an overview of the whole and
 * an axis, a window onto the time, and items to point at. Types and the frame's sizes; each timeline fills its own
 * lanes.
 */
import { clamp, type Rect, type Size } from '../draw/geometry';
import type { HitItem } from '../draw/hit-regions';
import type { ScaleInterval } from '../draw/scales';
import type { ViewWindow } from './view-window';

export interface LanesFrame extends Size {
  /** Overview of the whole time, with a frame around the part that the lanes show. */
  readonly overview: Rect;
  readonly axis: Rect;
  /** Horizontal limits of everything drawn over time. */
  readonly left: number;
  readonly right: number;
}

/** The drawing of the lanes at one moment. */
export interface LanesScene<Item extends HitItem = HitItem> {
  readonly layout: LanesFrame;
  readonly rows: readonly { readonly row: { readonly ground: Rect } }[];
  readonly ticks: readonly { readonly x: number; readonly text: string }[];
  readonly cursorX: number | undefined;
  /** The cursor's place in the whole time, 0..1. */
  readonly cursorShare: number | undefined;
  readonly items: readonly Item[];
}

/** The state of lanes between two frames, which pointer and keys change. */
export interface LanesModel<Item extends HitItem = HitItem> {
  readonly scene: LanesScene<Item> | undefined;
  view: ViewWindow;
  /** The shortest window; left out: the default for a step. */
  readonly smallest?: number;
  /** The stretch that the user is dragging along the axis, in pixels. */
  band: ScaleInterval | undefined;
  /** The place at x, 0..1 across the lanes. */
  across(x: number): number;
}

const OVERVIEW = { y: 3, height: 12 };
const AXIS = { y: 17, height: 22 };
/** Where the first lane may begin. */
export const HEAD = AXIS.y + AXIS.height;
const NARROW = 560;
const MARGIN = 20;
const MARGIN_NARROW = 10;

/**
 * Everything but the height. `names`: the room left of the lanes, which begins at `margin`. `besideNames`: the width of
 * what is beside the names on a narrow screen.
 */
export function frameOf(
  width: number,
  besideNames = 0,
): Omit<LanesFrame, 'height'> & {
  readonly margin: number;
  readonly names: number;
} {
  const narrow = width < NARROW;
  const margin = narrow ? MARGIN_NARROW : MARGIN;
  const names = narrow ? 56 + besideNames : 72;
  const left = margin + names;
  const right = Math.max(left + 20, width - margin);
  const across = { x: left, width: right - left };
  return { width, overview: { ...across, ...OVERVIEW }, axis: { ...across, ...AXIS }, left, right, margin, names };
}

/** 0..1 across the lanes; their middle if the pointer is elsewhere. */
export const shareAcross = (scene: LanesScene | undefined, x: number): number =>
  !scene || Number.isNaN(x)
    ? 0.5
    : clamp((x - scene.layout.left) / Math.max(1, scene.layout.right - scene.layout.left), 0, 1);
