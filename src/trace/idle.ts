/**
 * Where the time of a step goes, per device and clock: computing, communicating behind computation or in the open, idle; and why a device idles at a
 * time, in words. A receive counts from when its message left: what it waited before is idle. Pure; called by the timeline and metrics.ts.
 */
import type { Clock, DeviceIndex, Queue, StepTrace, TraceEvent } from '../protocol/trace';
import { endUs, spanOf, totalUs } from './lanes';
import { bufferWords, deviceName } from './words';

export interface Interval {
  readonly startUs: number;
  readonly endUs: number;
}

export interface TimeUse {
  readonly computeUs: number;
  readonly commUs: number;
  /** Communication while the device computes, and while it does not. */
  readonly overlappedUs: number;
  readonly exposedUs: number;
  readonly idleUs: number;
  /** The whole step; compute + exposed + idle. */
  readonly totalUs: number;
}

/** When an event keeps its queue busy. */
export function busySpan(trace: StepTrace, clock: Clock, index: number): Interval {
  const span = spanOf(trace, clock, index);
  const e = trace.events[index];
  if (e?.kind !== 'recv') return { startUs: span.startUs, endUs: endUs(span) };
  const send = trace.events.findIndex((other) => other.id === e.match);
  const left = send < 0 ? span.startUs : spanOf(trace, clock, send).startUs;
  return { startUs: Math.min(Math.max(span.startUs, left), endUs(span)), endUs: endUs(span) };
}

/** Busy intervals of a queue, joined where they touch, in order. */
export function busyIntervals(trace: StepTrace, clock: Clock, device: DeviceIndex, queue?: Queue): readonly Interval[] {
  const spans = trace.events.flatMap((e, index) =>
    e.device === device && (queue === undefined || e.queue === queue) ? [busySpan(trace, clock, index)] : [],
  );
  return joined(spans);
}

function joined(spans: readonly Interval[]): readonly Interval[] {
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

const lengthOf = (intervals: readonly Interval[]): number => intervals.reduce((n, i) => n + i.endUs - i.startUs, 0);

/** Where two lists of joined intervals are both busy. */
export function overlapOf(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  const shared = a.flatMap((x) =>
    b.map((y) => ({ startUs: Math.max(x.startUs, y.startUs), endUs: Math.min(x.endUs, y.endUs) })),
  );
  return joined(shared);
}

/** The gaps of a device between the start and the end of the step. */
export function idleIntervals(trace: StepTrace, clock: Clock, device: DeviceIndex): readonly Interval[] {
  const gaps: Interval[] = [];
  let from = 0;
  for (const { startUs, endUs: end } of busyIntervals(trace, clock, device)) {
    if (startUs > from) gaps.push({ startUs: from, endUs: startUs });
    from = end;
  }
  const end = totalUs(trace, clock);
  if (end > from) gaps.push({ startUs: from, endUs: end });
  return gaps;
}

export function timeUse(trace: StepTrace, clock: Clock, device: DeviceIndex): TimeUse {
  const compute = busyIntervals(trace, clock, device, 'compute');
  const comm = busyIntervals(trace, clock, device, 'comm');
  const computeUs = lengthOf(compute);
  const commUs = lengthOf(comm);
  const overlappedUs = lengthOf(overlapOf(compute, comm));
  const total = totalUs(trace, clock);
  const exposedUs = commUs - overlappedUs;
  return { computeUs, commUs, overlappedUs, exposedUs, idleUs: total - computeUs - exposedUs, totalUs: total };
}

/** Why the device does nothing at that time; undefined while it is busy or when the step is over. */
export function whyIdle(trace: StepTrace, clock: Clock, device: DeviceIndex, timeUs: number): string | undefined {
  if (timeUs < 0 || timeUs >= totalUs(trace, clock)) return undefined;
  if (busyIntervals(trace, clock, device).some((i) => i.startUs <= timeUs && timeUs < i.endUs)) return undefined;
  const name = deviceName(trace, device);
  const next = firstAfter(trace, clock, timeUs, (e) => e.device === device);
  if (!next) {
    const had = trace.events.some((e) => e.device === device);
    return had ? `${name} has done its part of the step` : `${name} has no part in this step`;
  }
  const cause = waitsFor(trace, clock, next, timeUs);
  if (cause) return `${name} waits for ${cause}`;
  return clock === 'measured'
    ? `${name} waits for its turn: one machine runs all devices here`
    : `${name} is between two instructions`;
}

/** The event that begins first after a time, among those that `wanted` names. */
function firstAfter(trace: StepTrace, clock: Clock, timeUs: number, wanted: (e: TraceEvent) => boolean) {
  let first: TraceEvent | undefined;
  let startUs = Number.POSITIVE_INFINITY;
  trace.events.forEach((e, index) => {
    if (!wanted(e)) return;
    const span = busySpan(trace, clock, index);
    if (span.startUs > timeUs && span.startUs < startUs) {
      first = e;
      startUs = span.startUs;
    }
  });
  return first;
}

/** What the event cannot begin without and does not have at that time, the last to come. */
function waitsFor(trace: StepTrace, clock: Clock, next: TraceEvent, timeUs: number): string | undefined {
  if (next.kind === 'recv') return message(trace, next);
  const missing = next.deps
    .map((id) => trace.events.findIndex((e) => e.id === id))
    .filter((index) => index >= 0 && busySpan(trace, clock, index).endUs > timeUs)
    .sort((a, b) => busySpan(trace, clock, b).endUs - busySpan(trace, clock, a).endUs);
  const dep = trace.events[missing[0] ?? -1];
  if (!dep) return undefined;
  if (dep.kind === 'recv' || dep.kind === 'send') return message(trace, dep);
  return `its own ${dep.name}`;
}

function message(trace: StepTrace, e: TraceEvent): string {
  const other = deviceName(trace, e.peer ?? e.device);
  if (e.collective?.op === 'allReduce') return `bucket ${e.bucket ?? 0}'s all-reduce`;
  const what = `${e.payload} ${bufferWords(e.slice?.buffer ?? '')}`;
  return e.kind === 'recv' ? `${what} from ${other}` : `${what} to reach ${other}`;
}
