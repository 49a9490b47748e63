/** From time to place and back, for the part of the time that is in view, and the marks of the axis. Pure. */
import type { Interval } from '../../trace/intervals';
import { formatTime } from '../draw/format';
import type { Rect } from '../draw/geometry';
import { linearScale, type ScaleInterval, ticks } from '../draw/scales';
import type { LanesFrame, LanesScene } from './lanes';
import type { ViewWindow } from './view-window';

type Sides = Pick<LanesFrame, 'left' | 'right'>;
export type TimeScale = (us: number) => number;

const timesIn = (totalUs: number, view: ViewWindow): ScaleInterval => ({
  from: view.from * totalUs,
  to: view.to * totalUs,
});
const across = ({ left, right }: Sides): ScaleInterval => ({ from: left, to: right });

/** From microseconds to pixels. */
export const timeScale = (sides: Sides, totalUs: number, view: ViewWindow): TimeScale =>
  linearScale(timesIn(totalUs, view), across(sides));

/** From pixels to microseconds. */
export const timeAt = (sides: Sides, totalUs: number, view: ViewWindow) =>
  linearScale(across(sides), timesIn(totalUs, view));

/** The cursor's x position; undefined if it is out of view. */
export function cursorAt(sides: Sides, totalUs: number, view: ViewWindow, cursorUs: number): number | undefined {
  const x = timeScale(sides, totalUs, view)(cursorUs);
  return x >= sides.left - 0.5 && x <= sides.right + 0.5 ? x : undefined;
}

/** The part of a stretch of time that is in view, in a lane; undefined when none is. */
export function cutToView(sides: Sides, scale: TimeScale, lane: Rect, span: Interval): Rect | undefined {
  const x = Math.max(sides.left, scale(span.startUs));
  const end = Math.min(sides.right, scale(span.endUs));
  return end > x ? { x, y: lane.y, width: Math.max(0.75, end - x), height: lane.height } : undefined;
}

/** The rectangle of a stretch of time in a lane, as if the lane continued beyond the window. */
export function stretchInLane(scale: TimeScale, lane: Rect, { startUs, endUs }: Interval): Rect {
  const x = scale(startUs);
  return { x, y: lane.y, width: Math.max(1, scale(endUs) - x), height: lane.height };
}

/** With as many digits as neighbours need to differ. */
function tickText(us: number, stepUs: number): string {
  if (stepUs >= 10 || us + stepUs >= 1000) return formatTime(us);
  return `${us.toFixed(stepUs >= 1 ? 0 : Math.ceil(-Math.log10(stepUs) - 1e-9))} µs`;
}

export function timeTicks(sides: Sides, totalUs: number, view: ViewWindow): LanesScene['ticks'] {
  const scale = timeScale(sides, totalUs, view);
  const count = Math.max(2, Math.floor((sides.right - sides.left) / 110));
  const times = ticks(timesIn(totalUs, view), count);
  return times.map((us) => ({ x: scale(us), text: tickText(us, (times[1] ?? us + 1) - (times[0] ?? us)) }));
}
