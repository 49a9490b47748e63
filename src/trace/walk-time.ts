/**
 * The clock of a cursor that walks the events in order. Events of several devices overlap in time, so a walk that
 * followed each event's own span would jump back; here time only increases: an event lasts until the next one begins,
 * and events that begin together share the time until the next, in turn. In a trace ordered by moments a moment begins
 * with its first event, and its events share the time until the next moment. Both functions are continuous, and each is
 * the inverse of the other. Pure; called by the stage and the timeline.
 */
import type { Clock, StepTrace } from '../protocol/trace';
import { spanOf, totalUs } from './lanes';
import { hasMoments, type Position } from './moments/moment';

export interface WalkTime {
  /** Time on the clock of a position of the cursor. */
  timeOf(position: Position): number;
  /** The position of a walking cursor at a time. */
  positionAt(timeUs: number): Position;
}

/** knots[i]: when the walk reaches event i; the last knot is the end of the step. Never decreasing. */
function knotsOf(trace: StepTrace, clock: Clock): readonly number[] {
  const starts: number[] = [];
  const together = hasMoments(trace) ? trace.moments.map((m) => m.events) : trace.events.map((_, index) => [index]);
  let latest = 0;
  for (const events of together) {
    latest = Math.max(latest, Math.min(...events.map((index) => spanOf(trace, clock, index).startUs)));
    for (const _ of events) starts.push(latest);
  }
  const end = Math.max(latest, totalUs(trace, clock));
  const knots: number[] = [];
  for (let first = 0; first < starts.length; ) {
    const start = starts[first] ?? 0;
    let next = first;
    while (next < starts.length && starts[next] === start) next++;
    const until = starts[next] ?? end;
    for (let i = first; i < next; i++) knots.push(start + ((until - start) * (i - first)) / (next - first));
    first = next;
  }
  return [...knots, end];
}

export function createWalkTime(trace: StepTrace, clock: Clock): WalkTime {
  const knots = knotsOf(trace, clock);
  const last = trace.events.length - 1;
  return {
    timeOf({ event, fraction }) {
      if (event < 0) return knots[0] ?? 0;
      const from = knots[event] ?? 0;
      return from + fraction * ((knots[event + 1] ?? from) - from);
    },
    positionAt(timeUs) {
      if (last < 0 || timeUs <= (knots[0] ?? 0)) return { event: -1, fraction: 1 };
      let low = 0;
      let high = last;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((knots[middle] ?? 0) < timeUs) low = middle;
        else high = middle - 1;
      }
      const from = knots[low] ?? 0;
      const to = knots[low + 1] ?? from;
      return { event: low, fraction: to > from ? Math.min(1, (timeUs - from) / (to - from)) : 1 };
    },
  };
}
