/**
 * How busy each device is on a clock: computing, communicating, both at once (overlap), communicating with nothing to hide behind (exposed), or idle; and
 * in words what it waits for when it is not computing. Pure; called by the timeline, the stage and metrics.ts.
 */
import type { Clock, DeviceIndex, StepTrace, TraceEvent } from '../protocol/trace';
import { deviceCount, endUs, type Lane, lanesOf, spanOf, totalUs } from './lanes';
import { deviceName } from './names';

export interface Interval {
  readonly startUs: number;
  readonly endUs: number;
}

export interface Use {
  readonly device: DeviceIndex;
  readonly totalUs: number;
  readonly computeUs: number;
  readonly commUs: number;
  /** Communication while the device computes. */
  readonly overlapUs: number;
  /** Communication while it does not. */
  readonly exposedUs: number;
  readonly idleUs: number;
  /** Fraction of communication that is hidden; undefined where there is none. */
  readonly overlap: number | undefined;
  /** Fraction of the step in which nothing runs on the device. */
  readonly idle: number;
  /** Where it idles, in order. */
  readonly gaps: readonly Interval[];
}

export function useOf(trace: StepTrace, clock: Clock): readonly Use[] {
  const total = totalUs(trace, clock);
  const lanes = lanesOf(trace, clock);
  const sendOf = new Map(trace.events.map((e, index) => [e.id, index]));
  return Array.from({ length: deviceCount(trace) }, (_, device) => {
    const busy = (queue: Lane['queue']) =>
      merged(
        lanes
          .filter((l) => l.device === device && l.queue === queue)
          .flatMap((l) => l.spans.map((s) => work(trace, clock, s.event, sendOf))),
      );
    const compute = busy('compute');
    const comm = busy('comm');
    const either = merged([...compute, ...comm]);
    const computeUs = lengthOf(compute);
    const commUs = lengthOf(comm);
    const overlapUs = Math.max(0, computeUs + commUs - lengthOf(either));
    const idleUs = Math.max(0, total - lengthOf(either));
    return {
      device,
      totalUs: total,
      computeUs,
      commUs,
      overlapUs,
      exposedUs: Math.max(0, commUs - overlapUs),
      idleUs,
      overlap: commUs > 0 ? overlapUs / commUs : undefined,
      idle: total > 0 ? idleUs / total : 0,
      gaps: between(either, total),
    };
  });
}

/** When an event works. A receive that was posted early waits, and works only once the message is under way. */
function work(trace: StepTrace, clock: Clock, index: number, indexOf: ReadonlyMap<number, number>): Interval {
  const span = spanOf(trace, clock, index);
  const { match, kind } = trace.events[index] ?? {};
  const send = kind === 'recv' && match !== undefined ? indexOf.get(match) : undefined;
  const leaves = send === undefined ? span.startUs : spanOf(trace, clock, send).startUs;
  return { startUs: Math.min(Math.max(span.startUs, leaves), endUs(span)), endUs: endUs(span) };
}

/** Disjoint intervals in order that cover the same time. */
export function merged(intervals: readonly Interval[]): readonly Interval[] {
  const result: { startUs: number; endUs: number }[] = [];
  for (const next of [...intervals].sort((a, b) => a.startUs - b.startUs)) {
    const last = result.at(-1);
    if (last && next.startUs <= last.endUs) last.endUs = Math.max(last.endUs, next.endUs);
    else if (next.endUs > next.startUs) result.push({ ...next });
  }
  return result;
}

export const lengthOf = (disjoint: readonly Interval[]): number =>
  disjoint.reduce((sum, i) => sum + i.endUs - i.startUs, 0);

function between(disjoint: readonly Interval[], end: number): readonly Interval[] {
  const edges = [0, ...disjoint.flatMap((i) => [i.startUs, i.endUs]), end];
  const gaps: Interval[] = [];
  for (let k = 0; k + 1 < edges.length; k += 2) {
    const [startUs = 0, until = 0] = edges.slice(k, k + 2);
    if (until > startUs) gaps.push({ startUs, endUs: until });
  }
  return gaps;
}

/** Why the device does not compute at a time, as a sentence without a full stop; undefined while it does. */
export function whyIdle(trace: StepTrace, clock: Clock, device: DeviceIndex, timeUs: number): string | undefined {
  const name = deviceName(trace, device);
  let next: { event: TraceEvent; startUs: number } | undefined;
  let worked = false;
  for (const [index, event] of trace.events.entries()) {
    if (event.device !== device || event.queue !== 'compute') continue;
    worked = true;
    const span = spanOf(trace, clock, index);
    if (span.startUs <= timeUs && timeUs < endUs(span)) return undefined;
    if (span.startUs >= timeUs && (!next || span.startUs < next.startUs)) next = { event, startUs: span.startUs };
  }
  if (!worked) return `${name} has no work in this step`;
  if (!next) return stillCommunicates(trace, clock, device, timeUs) ?? `${name} is done with this step`;
  const blocker = blockerOf(trace, clock, next.event, timeUs);
  if (blocker) return `${name} waits for ${blocker}`;
  return clock === 'measured'
    ? `${name} waits for its turn: here the devices share one processor`
    : `${name} is about to go on`;
}

function stillCommunicates(trace: StepTrace, clock: Clock, device: DeviceIndex, timeUs: number): string | undefined {
  const busy = trace.events.find(
    (e, index) => e.device === device && e.peer !== undefined && endUs(spanOf(trace, clock, index)) > timeUs,
  );
  return busy && `${deviceName(trace, device)} has computed all, and still moves data`;
}

/** The last thing an event waits for that has not ended by then. */
function blockerOf(trace: StepTrace, clock: Clock, event: TraceEvent, timeUs: number): string | undefined {
  const indexOf = new Map(trace.events.map((e, index) => [e.id, index]));
  const pending = event.deps.flatMap((id) => {
    const index = indexOf.get(id);
    const by = index === undefined ? undefined : trace.events[index];
    return by && index !== undefined ? [{ by, end: endUs(spanOf(trace, clock, index)) }] : [];
  });
  const last = pending.filter(({ end }) => end > timeUs).sort((a, b) => b.end - a.end)[0];
  return last && describeBlocker(trace, last.by);
}

function describeBlocker(trace: StepTrace, by: TraceEvent): string {
  const { collective, peer } = by;
  const from = peer === undefined ? '' : deviceName(trace, peer);
  switch (collective?.op) {
    case 'allReduce':
      return `${by.bucket === undefined ? 'the' : `bucket ${by.bucket}'s`} all-reduce`;
    case 'broadcast':
      return `the parameters from ${from}`;
    case 'scatter':
      return by.payload === 'gradient'
        ? `the gradient of its outputs from ${from}`
        : `its part of the batch from ${from}`;
    case 'gather':
      return `the outputs of ${from}`;
    case 'reduce':
      return `the gradients of ${from}`;
    default:
      return peer === undefined ? by.name : `${by.payload ?? 'data'} ${by.slice?.buffer ?? ''} from ${from}`;
  }
}
