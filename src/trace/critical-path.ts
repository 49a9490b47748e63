/**
 * The critical path of a step on one clock: back from the event that ends last, always to the cause that held the event
 * up last. Its spans and waits follow each other without gaps or overlaps from the beginning to the end of the step, so
 * they add up to its duration: to shorten the step, shorten a span on this path. If several paths are equally long, it
 * is one of them. Pure; the timeline highlights it.
 */
import { at } from '../base/invariant';
import type { Causes, Hold } from './causes';
import type { Interval } from './intervals';

export interface PathPart extends Interval {
  /** Index into trace.events of the event that runs or waits. */
  readonly event: number;
  /** 'waits': all prerequisites of the event were ready, but it had not begun. */
  readonly kind: 'compute' | 'message' | 'waits';
}

export interface CriticalPath {
  /** Parts in the order of time, without parts of no duration. */
  readonly parts: readonly PathPart[];
  /** All events of the path in order, including events of no duration. */
  readonly events: readonly number[];
  readonly totalUs: number;
  readonly computeUs: number;
  readonly messageUs: number;
  readonly waitsUs: number;
}

export function criticalPath(causes: Causes): CriticalPath {
  const { trace, spans, totalUs, nothingUs } = causes;
  const parts: PathPart[] = [];
  const events: number[] = [];
  let current = lastToEnd(causes);
  let until = totalUs;
  const cover = (from: number, event: number, kind: PathPart['kind']) => {
    if (until > from) parts.push({ event, kind, startUs: from, endUs: until });
    until = Math.min(until, from);
  };
  while (current !== undefined) {
    const event: number = current;
    events.push(event);
    const hold: Hold | undefined = causes.heldBy(event);
    const { startUs } = at(spans, event);
    const releasedUs = hold?.releasedUs ?? 0;
    // If two causes end almost together, the tiny wait between them counts as part of the event.
    const beganUs = startUs - releasedUs > nothingUs ? startUs : releasedUs;
    cover(beganUs, event, at(trace.events, event).peer === undefined ? 'compute' : 'message');
    cover(releasedUs, event, 'waits');
    current = hold?.event;
  }
  const sum = (kind: PathPart['kind']) =>
    parts.reduce((us, part) => us + (part.kind === kind ? part.endUs - part.startUs : 0), 0);
  return {
    parts: parts.reverse(),
    events: events.reverse(),
    totalUs,
    computeUs: sum('compute'),
    messageUs: sum('message'),
    waitsUs: sum('waits'),
  };
}

function lastToEnd({ spans }: Causes): number | undefined {
  let last: number | undefined;
  spans.forEach(({ endUs }, index) => {
    if (last === undefined || endUs > at(spans, last).endUs) last = index;
  });
  return last;
}
