/**
 * Where the time of a step goes, per device and clock: computing, communicating (hidden behind computation or exposed),
 * idle; and in words why a device is idle. A receive counts from when its message left; its wait before that is idle
 * time. Pure; called by the timeline and metrics.ts.
 */
import { at } from '../base/invariant';
import type { Clock, DeviceIndex, Queue, StepTrace, TraceEvent } from '../protocol/trace';
import { carriedWords, ofSyncBatchNorm } from './carried';
import { type Interval, joined, lengthOf, without } from './intervals';
import { endUs, spanOf, totalUs } from './lanes';
import { type LateDevice, lateDevices } from './late-device';
import { deviceName, kernelWords } from './words';

export interface TimeUse {
  readonly device: DeviceIndex;
  readonly computeUs: number;
  readonly commUs: number;
  /** Communication while the device computes, and while it does not. */
  readonly overlapUs: number;
  readonly exposedUs: number;
  readonly idleUs: number;
  /**
   * Idle time after the last event of the device, when its part of the step is done, or if it has none. Earlier idle
   * time is waiting for other devices.
   */
  readonly doneUs: number;
  /** The whole step: compute + exposed + idle. */
  readonly totalUs: number;
  /** Fraction of the communication that is hidden; undefined without communication. */
  readonly overlap: number | undefined;
  /** Fraction of the step in which nothing runs on the device. */
  readonly idle: number;
}

/** By index, the interval in which each event keeps its queue busy. */
export function busySpans(trace: StepTrace, clock: Clock): readonly Interval[] {
  const leftUs = new Map<number, number>();
  trace.events.forEach((e, index) => {
    if (e.kind === 'send') leftUs.set(e.id, spanOf(trace, clock, index).startUs);
  });
  return trace.events.map((e, index) => {
    const span = spanOf(trace, clock, index);
    const left = e.kind === 'recv' && e.match !== undefined ? leftUs.get(e.match) : undefined;
    return { startUs: Math.min(Math.max(span.startUs, left ?? span.startUs), endUs(span)), endUs: endUs(span) };
  });
}

/**
 * Shared data for questions about idle time; made once for all devices of a trace, because it needs a walk through the
 * trace.
 */
export interface IdleTimes {
  readonly spans: readonly Interval[];
  /** Indices of the events of a device, in their order. */
  eventsOf(device: DeviceIndex): readonly number[];
  busy(device: DeviceIndex): readonly Interval[];
  indexOf(event: TraceEvent): number;
  nameOf(device: DeviceIndex): string;
  late(recv: TraceEvent): DeviceIndex | undefined;
}

export function createIdleTimes(trace: StepTrace, clock: Clock): IdleTimes {
  const spans = busySpans(trace, clock);
  const eventsOf = new Map<DeviceIndex, number[]>();
  const indexOf = new Map<TraceEvent, number>();
  trace.events.forEach((e, index) => {
    indexOf.set(e, index);
    const own = eventsOf.get(e.device);
    if (own) own.push(index);
    else eventsOf.set(e.device, [index]);
  });
  const busy = new Map<DeviceIndex, readonly Interval[]>();
  const names = new Map<DeviceIndex, string>();
  let late: LateDevice | undefined;
  const remember = <T>(known: Map<DeviceIndex, T>, device: DeviceIndex, find: () => T): T => {
    const value = known.get(device) ?? find();
    known.set(device, value);
    return value;
  };
  return {
    spans,
    eventsOf: (device) => eventsOf.get(device) ?? [],
    busy: (device) =>
      remember(busy, device, () => joined((eventsOf.get(device) ?? []).map((index) => at(spans, index)))),
    indexOf: (event) => indexOf.get(event) ?? -1,
    nameOf: (device) => remember(names, device, () => deviceName(trace, device)),
    late(recv) {
      late ??= lateDevices(trace, spans);
      return late(recv);
    },
  };
}

/** Busy intervals of a device, or of one of its queues: disjoint, in order. */
export function busyIntervals(trace: StepTrace, clock: Clock, device: DeviceIndex, queue?: Queue): readonly Interval[] {
  const spans = busySpans(trace, clock);
  return joined(
    spans.filter((_, index) => {
      const e = trace.events[index];
      return e?.device === device && (queue === undefined || e.queue === queue);
    }),
  );
}

/** The gaps of a device between the start and the end of the step. */
export const idleIntervals = (
  trace: StepTrace,
  clock: Clock,
  device: DeviceIndex,
  times: Pick<IdleTimes, 'busy'> = createIdleTimes(trace, clock),
): readonly Interval[] => without({ startUs: 0, endUs: totalUs(trace, clock) }, times.busy(device));

export function timeUse(trace: StepTrace, clock: Clock, device: DeviceIndex): TimeUse {
  const compute = busyIntervals(trace, clock, device, 'compute');
  const comm = busyIntervals(trace, clock, device, 'comm');
  const [computeUs, commUs] = [lengthOf(compute), lengthOf(comm)];
  const busyUs = lengthOf(joined([...compute, ...comm]));
  const overlapUs = Math.max(0, computeUs + commUs - busyUs);
  const total = totalUs(trace, clock);
  const idleUs = Math.max(0, total - busyUs);
  const lastUs = Math.max(0, ...[compute, comm].map((busy) => busy.at(-1)?.endUs ?? 0));
  return {
    device,
    computeUs,
    commUs,
    overlapUs,
    exposedUs: Math.max(0, commUs - overlapUs),
    idleUs,
    doneUs: Math.min(idleUs, total - lastUs),
    totalUs: total,
    overlap: commUs > 0 ? overlapUs / commUs : undefined,
    idle: total > 0 ? idleUs / total : 0,
  };
}

/**
 * 'waits': for another device, or for its own other queue; 'bubble': for the stage before or after it in a model that
 * is spread over devices; 'turn': for the processor that the devices share; 'begins': for the start of a collective;
 * 'done': no work is left; 'nothing': it had no work at all.
 */
export type IdleKind = 'waits' | 'bubble' | 'turn' | 'begins' | 'done' | 'nothing';

export interface IdleReason {
  readonly kind: IdleKind;
  readonly text: string;
  /** Indices into trace.events: the device's next event, and the event that it is waiting for. */
  readonly next?: number;
  readonly awaited?: number;
}

/** Why the device is idle at that time; undefined while it is busy or after the step. */
export const whyIdle = (trace: StepTrace, clock: Clock, device: DeviceIndex, timeUs: number): string | undefined =>
  idleReason(trace, clock, device, timeUs)?.text;

/** Like whyIdle, with the events that the reason names. */
export function idleReason(
  trace: StepTrace,
  clock: Clock,
  device: DeviceIndex,
  timeUs: number,
  times: IdleTimes = createIdleTimes(trace, clock),
): IdleReason | undefined {
  if (timeUs < 0 || timeUs >= totalUs(trace, clock)) return undefined;
  if (times.busy(device).some((i) => i.startUs <= timeUs && timeUs < i.endUs)) return undefined;
  const name = times.nameOf(device);
  const first = firstAfter(trace, times, device, timeUs);
  if (!first) {
    return times.eventsOf(device).length > 0
      ? { kind: 'done', text: `${name} has done its part of the step` }
      : { kind: 'nothing', text: `${name} has no part in this step` };
  }
  const next = times.indexOf(first);
  const cause = waitsFor(trace, times, first, timeUs);
  if (cause) {
    const kind = isBubble(cause.awaited) ? 'bubble' : 'waits';
    return { kind, text: `${name} waits for ${cause.words}`, next, awaited: times.indexOf(cause.awaited) };
  }
  return clock === 'measured'
    ? { kind: 'turn', text: `${name} waits for its turn: here the devices share one processor`, next }
    : {
        kind: 'begins',
        text: first.collective ? `${name} waits while the collective starts` : `${name} is about to continue`,
        next,
      };
}

/** Whether a message passes outputs or gradients from one part of a model to the next, outside a collective. */
const isBubble = ({ kind, collective, payload }: TraceEvent): boolean =>
  kind === 'recv' && !collective && (payload === 'activation' || payload === 'gradient');

/** The first event of the device that begins after a time. */
function firstAfter(trace: StepTrace, { spans, eventsOf }: IdleTimes, device: DeviceIndex, timeUs: number) {
  let first: TraceEvent | undefined;
  let startUs = Number.POSITIVE_INFINITY;
  for (const index of eventsOf(device)) {
    const start = spans[index]?.startUs ?? 0;
    if (start <= timeUs || start >= startUs) continue;
    first = trace.events[index];
    startUs = start;
  }
  return first;
}

interface Awaited {
  readonly awaited: TraceEvent;
  readonly words: string;
}

/** The last prerequisite of the event that is missing at that time. */
function waitsFor(trace: StepTrace, times: IdleTimes, next: TraceEvent, timeUs: number): Awaited | undefined {
  if (next.kind === 'recv') return { awaited: next, words: heldUp(times, next) };
  const wanted = new Set(next.deps);
  let last: TraceEvent | undefined;
  let lastUs = timeUs;
  trace.events.forEach((e, index) => {
    const end = times.spans[index]?.endUs ?? 0;
    if (!wanted.has(e.id) || end <= lastUs) return;
    last = e;
    lastUs = end;
  });
  if (!last) return undefined;
  return {
    awaited: last,
    words: last.peer === undefined ? `its own ${kernelWords(last.name)}` : heldUp(times, last),
  };
}

/** In a collective all ranks wait for each other: names the rank whose late work delayed the message. */
function heldUp(times: IdleTimes, recv: TraceEvent): string {
  const what = message(times, recv);
  if (recv.kind !== 'recv' || recv.collective?.op !== 'allReduce') return what;
  const late = times.late(recv);
  return late === undefined || late === recv.device ? what : `${times.nameOf(late)} in ${what}`;
}

function message({ nameOf }: IdleTimes, event: TraceEvent): string {
  const { collective, payload, bucket, peer, device } = event;
  const from = nameOf(peer ?? device);
  switch (collective?.op) {
    case 'allReduce':
      if (ofSyncBatchNorm(event)) return carriedWords(event);
      return bucket === undefined ? 'the all-reduce' : `bucket ${bucket}'s all-reduce`;
    case 'broadcast':
      return pieceOrParameters(event, from);
    case 'scatter':
      return payload === 'gradient' ? `the gradient of its outputs from ${from}` : `its part of the batch from ${from}`;
    case 'gather':
      return `the outputs of ${from}`;
    case 'reduce':
      return `the gradients of ${from}`;
    default:
      return `${carriedWords(event)} from ${from}`;
  }
}

/** DDP broadcasts BatchNorm's buffers, DataParallel parameters: single, or many as one flat tensor. */
function pieceOrParameters(event: TraceEvent, from: string): string {
  const carried = carriedWords(event);
  const statistics = carried.startsWith('the running') || /^flat\.buffers/.test(event.slice?.buffer ?? '');
  return `${statistics ? 'the running statistics' : 'the parameters'} from ${from}`;
}
