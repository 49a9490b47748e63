/** Intersection, difference and union of stretches of time. Pure. */
import type { Interval } from '../../trace/idle';

export function intersect(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  return a.flatMap((x) =>
    b.flatMap((y) => {
      const startUs = Math.max(x.startUs, y.startUs);
      const endUs = Math.min(x.endUs, y.endUs);
      return endUs > startUs ? [{ startUs, endUs }] : [];
    }),
  );
}

/** The stretch without `parts`, which are in order. */
export function without(whole: Interval, parts: readonly Interval[]): readonly Interval[] {
  const left: Interval[] = [];
  let from = whole.startUs;
  for (const part of parts) {
    if (part.endUs <= from) continue;
    if (part.startUs >= whole.endUs) break;
    if (part.startUs > from) left.push({ startUs: from, endUs: part.startUs });
    from = Math.max(from, part.endUs);
  }
  if (whole.endUs > from) left.push({ startUs: from, endUs: whole.endUs });
  return left;
}

/** Stretches in order of start, joined where they touch or overlap. */
export function united(list: readonly Interval[]): readonly Interval[] {
  const joined: { startUs: number; endUs: number }[] = [];
  for (const { startUs, endUs } of list) {
    const last = joined.at(-1);
    if (last && startUs <= last.endUs) last.endUs = Math.max(last.endUs, endUs);
    else joined.push({ startUs, endUs });
  }
  return joined;
}
