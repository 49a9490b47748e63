/**
 * Where the cursor can go: to the next or the previous event or phase, and from a place on a clock to the event that
 * happens there and back. A cursor is an index into trace.events (-1: before the first) and how far that event is.
 * Pure; called by the transport, the stage and the timeline.
 */
import type { Clock, Phase, StepTrace, TraceEvent } from '../protocol/trace';
import { spanOf } from './lanes';

export interface Position {
  readonly event: number;
  /** 0..1; 1: the event is done. */
  readonly fraction: number;
}

/** A run of events of one phase. An all-reduce that overlaps with backward does not end backward. */
export interface PhaseRun {
  readonly phase: Phase;
  readonly first: number;
  readonly last: number;
}

export function phaseRuns(events: readonly TraceEvent[]): readonly PhaseRun[] {
  const runs: PhaseRun[] = [];
  for (let first = 0; first < events.length; ) {
    const last = endOfRun(events, first);
    runs.push({ phase: events[first]?.phase ?? 'data', first, last });
    first = last + 1;
  }
  return runs;
}

function endOfRun(events: readonly TraceEvent[], from: number): number {
  const phase = events[from]?.phase;
  let end = from;
  for (let i = from + 1; i < events.length; i++) {
    const next = events[i]?.phase;
    if (next === phase) end = i;
    else if (next !== 'reduce') break;
  }
  return end;
}

const lastIndex = (trace: StepTrace): number => trace.events.length - 1;

export const nextEvent = (trace: StepTrace, event: number): number => Math.min(event + 1, lastIndex(trace));
export const previousEvent = (event: number): number => Math.max(event - 1, -1);

/** The end of the phase that goes on behind the event; the last event where none does. */
export function nextPhase(trace: StepTrace, event: number): number {
  return phaseRuns(trace.events).find((run) => run.last > event)?.last ?? lastIndex(trace);
}

/** The end of the phase before the one the event is in, so that nextPhase leads back; -1 from the first. */
export function previousPhase(trace: StepTrace, event: number): number {
  return phaseRuns(trace.events).findLast((run) => run.last < event)?.last ?? -1;
}

/** Where on the clock the cursor stands. */
export function timeOf(trace: StepTrace, clock: Clock, { event, fraction }: Position): number {
  if (event < 0 || trace.events.length === 0) return 0;
  const { startUs, durUs } = spanOf(trace, clock, Math.min(event, lastIndex(trace)));
  return startUs + fraction * durUs;
}

/** The event that began last before or at that time, and how far it is; before any began: event -1, done. */
export function positionAt(trace: StepTrace, clock: Clock, timeUs: number): Position {
  let event = -1;
  let latestUs = Number.NEGATIVE_INFINITY;
  trace.events.forEach((_, index) => {
    const { startUs } = spanOf(trace, clock, index);
    if (startUs <= timeUs && startUs >= latestUs) {
      event = index;
      latestUs = startUs;
    }
  });
  if (event < 0) return { event, fraction: 1 };
  const { startUs, durUs } = spanOf(trace, clock, event);
  return { event, fraction: durUs > 0 ? Math.min(1, (timeUs - startUs) / durUs) : 1 };
}
