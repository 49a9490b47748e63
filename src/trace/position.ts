/**
 * Stepping through a trace: from event to event, from phase to phase, and between an event and a time on a clock. A position is the
 * index of an event; -1 stands before the first. Called by the transport and the timeline.
 */
import type { StepTrace, TraceEvent } from '../protocol/trace';
import { type Clock, endOf, type Span, spanOf } from './clock';

export const BEFORE_FIRST = -1;

export const lastIndex = (trace: StepTrace): number => trace.events.length - 1;

export const nextEvent = (trace: StepTrace, index: number): number => Math.min(index + 1, lastIndex(trace));

export const previousEvent = (_trace: StepTrace, index: number): number => Math.max(index - 1, BEFORE_FIRST);

/** Last event of the phase that event `from` belongs to. An all-reduce that overlaps with backward does not end backward. */
export function endOfPhase(events: readonly TraceEvent[], from: number): number {
  const phase = events[from]?.phase;
  let end = from;
  for (let i = from + 1; i < events.length; i++) {
    const next = events[i]?.phase;
    if (next === phase) end = i;
    else if (next !== 'reduce') break;
  }
  return end;
}

/** The end of the phase that comes next. */
export function nextPhase(trace: StepTrace, index: number): number {
  return index >= lastIndex(trace) ? lastIndex(trace) : endOfPhase(trace.events, index + 1);
}

/** The end of the phase before, or before the first event: what nextPhase would have stepped from. */
export function previousPhase(trace: StepTrace, index: number): number {
  let before = BEFORE_FIRST;
  for (let end = nextPhase(trace, before); end < index; end = nextPhase(trace, end)) before = end;
  return before;
}

/** Where the clock stands when event `index` is `fraction` done; 0 before the first event. */
export function timeAt(trace: StepTrace, clock: Clock, index: number, fraction = 1): number {
  if (index < 0) return 0;
  const { startUs, durUs } = spanOf(trace, clock, index);
  return startUs + fraction * durUs;
}

/**
 * The event that began last at a time: the one with the latest start that is not after it, of equals the last in order. Events of several
 * queues run at the same time, so a clock's order need not be the order of the trace.
 */
export function indexAt(trace: StepTrace, clock: Clock, timeUs: number): number {
  const spans: readonly Span[] = clock === 'modelled' ? trace.modelled : trace.events;
  let best = BEFORE_FIRST;
  let latest = Number.NEGATIVE_INFINITY;
  spans.forEach(({ startUs }, index) => {
    if (startUs <= timeUs && startUs >= latest) {
      best = index;
      latest = startUs;
    }
  });
  return best;
}

/** How far event `index` is at a time, 0..1. */
export function fractionAt(trace: StepTrace, clock: Clock, index: number, timeUs: number): number {
  if (index < 0) return 1;
  const span = spanOf(trace, clock, index);
  if (timeUs >= endOf(span)) return 1;
  return span.durUs > 0 ? Math.max(0, (timeUs - span.startUs) / span.durUs) : 1;
}
