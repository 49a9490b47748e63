/**
 * Which part of the step, or of a recording, lanes show, as fractions of its length, so that a zoom stays when the next
 * step is a little longer or the other clock is chosen. Pure: zoom about a point, pan, fit, and follow a cursor that
 * leaves the picture. `smallest`: the shortest window, where the lanes are longer than a step.
 */
import { clamp } from '../draw/geometry';

export interface ViewWindow {
  readonly from: number;
  readonly to: number;
}

export const WHOLE: ViewWindow = { from: 0, to: 1 };
/** The shortest window, as a share of a step. */
const SMALLEST = 1 / 400;
/** The part of the picture below which a span is too narrow to be read. */
const VISIBLE = 1 / 120;

function fitted(from: number, length: number): ViewWindow {
  const start = clamp(from, 0, 1 - length);
  return { from: start, to: start + length };
}

/** `at`: the place, 0..1 across the picture, that stays where it is; `factor` > 1 shows less of the step, larger. */
export function zoom({ from, to }: ViewWindow, factor: number, at: number, smallest = SMALLEST): ViewWindow {
  const length = clamp((to - from) / factor, smallest, 1);
  return fitted(from + at * (to - from - length), length);
}

/** The window after a zoom button: factor 0 shows everything, other factors zoom about the middle. */
export const zoomedBy = (window: ViewWindow, factor: number, smallest?: number): ViewWindow =>
  factor === 0 ? WHOLE : zoom(window, factor, 0.5, smallest);

/** Moves the window by a fraction of its length. */
export const pan = ({ from, to }: ViewWindow, by: number): ViewWindow => fitted(from + by * (to - from), to - from);

/**
 * The same window if it shows the place; otherwise one of the same length that does, with more room after the place
 * than before.
 */
export function follow(window: ViewWindow, place: number): ViewWindow {
  const { from, to } = window;
  if (place >= from && place <= to) return window;
  return fitted(place - 0.15 * (to - from), to - from);
}

/** From one place to another, whichever is first; both are fractions of the step. */
export const between = (a: number, b: number, smallest = SMALLEST): ViewWindow => {
  const length = clamp(Math.abs(b - a), smallest, 1);
  return fitted(Math.min(a, b), length);
};

/** The margin beside a selected stretch that fills the window, as a share of the stretch. */
const AIR = 0.15;

/** The window that a stretch fills, with a margin on both sides. */
export function withAir({ from, to }: ViewWindow, smallest?: number): ViewWindow {
  const air = AIR * (to - from);
  return between(Math.max(0, from - air), Math.min(1, to + air), smallest);
}

/** A window that shows the stretch: the same one, or one moved there, zoomed in if the stretch would be a hairline. */
export function reveal(window: ViewWindow, from: number, to: number, smallest = SMALLEST): ViewWindow {
  const length = window.to - window.from;
  const seen = from >= window.from && to <= window.to;
  const wide = to - from >= VISIBLE * length;
  if (seen && wide) return window;
  const next = wide ? clamp((to - from) / 0.6, length, 1) : clamp((to - from) / (4 * VISIBLE), smallest, length);
  return fitted((from + to) / 2 - next / 2, next);
}
