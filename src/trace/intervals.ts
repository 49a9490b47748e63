/** Stretches of time: their union, intersection and difference. Pure. */
export interface Interval {
  readonly startUs: number;
  readonly endUs: number;
}

/** The stretches without empty ones, in order, merged where they touch or overlap. */
export function joined(spans: readonly Interval[]): readonly Interval[] {
  const result: Interval[] = [];
  for (const span of [...spans].sort((a, b) => a.startUs - b.startUs)) {
    if (span.endUs <= span.startUs) continue;
    const last = result.at(-1);
    if (last && span.startUs <= last.endUs) {
      result[result.length - 1] = { startUs: last.startUs, endUs: Math.max(last.endUs, span.endUs) };
    } else result.push(span);
  }
  return result;
}

export const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((n, i) => n + i.endUs - i.startUs, 0);

export function intersect(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  return a.flatMap((x) =>
    b.flatMap((y) => {
      const startUs = Math.max(x.startUs, y.startUs);
      const endUs = Math.min(x.endUs, y.endUs);
      return endUs > startUs ? [{ startUs, endUs }] : [];
    }),
  );
}

/** The rest of a stretch without `parts`, which are in order. */
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
