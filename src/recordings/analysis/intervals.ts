/** Sets of times as sorted, disjoint intervals: pairs [from, to] in one flat list. */
import type { RecordedLane } from '../recording';
import type { SpanKind } from '../spans';
import { SPAN_KINDS } from '../spans';

export type Intervals = readonly number[];

export const NONE: Intervals = [];

/** The times at which any of the lanes has a span of these kinds. `isMeant`: by index of the span. */
export function busy(
  lanes: readonly RecordedLane[],
  kinds: readonly SpanKind[],
  isMeant: (lane: RecordedLane, span: number) => boolean = () => true,
): Intervals {
  const wanted = new Set(kinds.map((kind) => SPAN_KINDS.indexOf(kind)));
  const ofLanes = lanes.map((lane) => {
    const { count, startUs, durUs, kind } = lane.spans;
    const found: number[] = [];
    let last = -1;
    for (let k = 0; k < count; k++) {
      if (!wanted.has(kind[k] ?? -1) || !isMeant(lane, k)) continue;
      const from = startUs[k] ?? 0;
      const to = from + (durUs[k] ?? 0);
      // In order of start: a span extends the interval before it, or begins the next.
      if (last >= 0 && from <= (found[last] ?? 0)) found[last] = Math.max(found[last] ?? 0, to);
      else if (to > from) last = found.push(from, to) - 1;
    }
    return found;
  });
  return unionOf(ofLanes);
}

/** Joins pairs, so that a thousand lanes take ten rounds, not a thousand. */
function unionOf(all: readonly Intervals[]): Intervals {
  if (all.length <= 1) return all[0] ?? NONE;
  const half = all.length >>> 1;
  return union(unionOf(all.slice(0, half)), unionOf(all.slice(half)));
}

export function union(a: Intervals, b: Intervals): Intervals {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const made: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isA = j >= b.length || (a[i] ?? Number.POSITIVE_INFINITY) <= (b[j] ?? 0);
    const from = (isA ? a[i] : b[j]) ?? 0;
    const to = (isA ? a[i + 1] : b[j + 1]) ?? 0;
    if (isA) i += 2;
    else j += 2;
    const last = made.length - 1;
    if (last >= 0 && from <= (made[last] ?? 0)) made[last] = Math.max(made[last] ?? 0, to);
    else made.push(from, to);
  }
  return made;
}

export function intersect(a: Intervals, b: Intervals): Intervals {
  const made: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const from = Math.max(a[i] ?? 0, b[j] ?? 0);
    const to = Math.min(a[i + 1] ?? 0, b[j + 1] ?? 0);
    if (from < to) made.push(from, to);
    if ((a[i + 1] ?? 0) < (b[j + 1] ?? 0)) i += 2;
    else j += 2;
  }
  return made;
}

/** `a` without `b`. */
export function subtract(a: Intervals, b: Intervals): Intervals {
  const made: number[] = [];
  let j = 0;
  for (let i = 0; i < a.length; i += 2) {
    let from = a[i] ?? 0;
    const to = a[i + 1] ?? 0;
    while (j < b.length && (b[j + 1] ?? 0) <= from) j += 2;
    for (let k = j; k < b.length && (b[k] ?? 0) < to; k += 2) {
      if (from < (b[k] ?? 0)) made.push(from, b[k] ?? 0);
      from = Math.max(from, b[k + 1] ?? 0);
    }
    if (from < to) made.push(from, to);
  }
  return made;
}

/** The part between two times. */
export function clip(all: Intervals, fromUs: number, toUs: number): Intervals {
  // The first interval that ends after `fromUs`.
  let [low, high] = [0, all.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((all[2 * middle + 1] ?? 0) <= fromUs) low = middle + 1;
    else high = middle;
  }
  const made: number[] = [];
  for (let k = 2 * low; k < all.length && (all[k] ?? 0) < toUs; k += 2) {
    made.push(Math.max(fromUs, all[k] ?? 0), Math.min(toUs, all[k + 1] ?? 0));
  }
  return made;
}

export function total(intervals: Intervals): number {
  let sum = 0;
  for (let k = 0; k < intervals.length; k += 2) sum += (intervals[k + 1] ?? 0) - (intervals[k] ?? 0);
  return sum;
}

/** Accepts pairs in any order, with overlaps. */
export const merged = (pairs: readonly (readonly [from: number, to: number])[]): Intervals =>
  [...pairs]
    .filter(([from, to]) => to > from)
    .sort(([a], [b]) => a - b)
    .reduce<number[]>((made, [from, to]) => {
      const last = made.length - 1;
      if (last >= 0 && from <= (made[last] ?? 0)) made[last] = Math.max(made[last] ?? 0, to);
      else made.push(from, to);
      return made;
    }, []);
