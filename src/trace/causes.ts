/**
 * What each event of a step waited for before it could begin or end: the previous event in its queue, the data that it
 * reads, the message that it receives, or a port that another message occupied. The last of these to become ready held
 * the event up. Made once per trace and clock; critical-path.ts and wait-chain.ts walk back along it. Pure.
 */
import { at } from '../base/invariant';
import type { Clock, StepTrace, TraceEvent } from '../protocol/trace';
import { busySpans } from './idle';
import type { Interval } from './intervals';
import { totalUs } from './lanes';

/** 'port': a device sends one message at a time, and receives one. */
export type HeldBy = 'queue' | 'data' | 'message' | 'port';

export interface Hold {
  /** Index into trace.events. */
  readonly event: number;
  readonly by: HeldBy;
  /** When the cause was done. For a message: when the sender had finished; the time after that is transfer. */
  readonly releasedUs: number;
}

export interface Causes {
  readonly trace: StepTrace;
  readonly clock: Clock;
  readonly totalUs: number;
  /** The interval in which each event keeps its queue busy. */
  readonly spans: readonly Interval[];
  /** Shorter times count as 0, because times are sums of floats. */
  readonly nothingUs: number;
  /** The previous event in its queue. */
  before(event: number): number | undefined;
  /** Events that had to finish before it could begin, besides its queue. */
  needs(event: number): readonly number[];
  /** Events that could not begin before it finished. */
  neededBy(event: number): readonly number[];
  /** Events whose start or end this event alone delayed. */
  heldUp(event: number): readonly number[];
  /** The last of its prerequisites to become ready; undefined: it could begin with the step. */
  heldBy(event: number): Hold | undefined;
  /** How long its queue was idle before it. */
  waitedUs(event: number): number;
}

/** If two causes are ready at the same time, the first in this list is named. */
const RANKING: readonly HeldBy[] = ['queue', 'data', 'message', 'port'];

export function createCauses(trace: StepTrace, clock: Clock): Causes {
  const { events } = trace;
  const spans = busySpans(trace, clock);
  const end = totalUs(trace, clock);
  const nothingUs = Math.max(1e-6, end * 1e-6);
  const indexOf = new Map(events.map((e, index) => [e.id, index]));
  const indices = (ids: readonly number[]) => ids.flatMap((id) => indexOf.get(id) ?? []);
  const needs = events.map((e) => indices([...new Set([...e.deps, ...(sendOf(e) ?? [])])]));
  const neededBy: number[][] = events.map(() => []);
  needs.forEach((list, index) => {
    for (const needed of list) neededBy[needed]?.push(index);
  });
  const before = inTheirQueues(events);
  const busyPorts = portsOf(trace);

  /** The message of a receive; `decides`: whether its arrival decides when the receive ends. */
  const message = (index: number): { readonly hold: Hold; readonly decides: boolean } | undefined => {
    const e = at(events, index);
    const send = e.kind === 'recv' && e.match !== undefined ? indexOf.get(e.match) : undefined;
    if (send === undefined) return undefined;
    const span = at(spans, index);
    const sent = at(spans, send);
    const decides =
      clock === 'modelled' ? span.endUs - span.startUs > nothingUs : sent.endUs > span.startUs + nothingUs;
    const releasedUs = Math.min(decides ? sent.endUs : sent.startUs, span.endUs);
    return { hold: { event: send, by: 'message', releasedUs }, decides };
  };

  const heldBy = (index: number): Hold | undefined => {
    const span = at(spans, index);
    const own = message(index);
    if (own?.decides) return own.hold;
    const previous = before[index];
    const holds: Hold[] = [];
    if (previous !== undefined) holds.push({ event: previous, by: 'queue', releasedUs: at(spans, previous).endUs });
    for (const needed of at(needs, index)) {
      if (needed !== own?.hold.event) holds.push({ event: needed, by: 'data', releasedUs: at(spans, needed).endUs });
    }
    if (own) holds.push(own.hold);
    const latest = lastOf(holds, nothingUs);
    if (latest && latest.releasedUs >= span.startUs - nothingUs) return latest;
    return port(index) ?? latest;
  };

  /** A message that occupied the port until this event's own message began. */
  const port = (index: number): Hold | undefined => {
    if (clock !== 'modelled') return undefined;
    const beganUs = at(spans, index).startUs + (trace.modelled[index]?.startingUs ?? 0);
    const event = busyPorts(index).find((other) => {
      const { startUs, endUs } = at(spans, other);
      // An event without duration keeps no port busy; otherwise two such events could be each other's cause.
      return Math.abs(endUs - beganUs) <= nothingUs && (other < index || endUs - startUs > nothingUs);
    });
    return event === undefined ? undefined : { event, by: 'port', releasedUs: beganUs };
  };

  const held: (number | undefined)[] = [];
  return {
    trace,
    clock,
    totalUs: end,
    spans,
    nothingUs,
    before: (event) => before[event],
    needs: (event) => needs[event] ?? [],
    neededBy: (event) => neededBy[event] ?? [],
    heldBy,
    heldUp(event) {
      for (let index = held.length; index < events.length; index++) held.push(heldBy(index)?.event);
      return held.flatMap((by, index) => (by === event ? [index] : []));
    },
    waitedUs(event) {
      const previous = before[event];
      return Math.max(0, at(spans, event).startUs - (previous === undefined ? 0 : at(spans, previous).endUs));
    },
  };
}

const sendOf = (e: TraceEvent): readonly number[] | undefined =>
  e.kind === 'recv' && e.match !== undefined ? [e.match] : undefined;

function lastOf(holds: readonly Hold[], nothingUs: number): Hold | undefined {
  let last: Hold | undefined;
  for (const hold of [...holds].sort((a, b) => RANKING.indexOf(a.by) - RANKING.indexOf(b.by))) {
    if (!last || hold.releasedUs > last.releasedUs + nothingUs) last = hold;
  }
  return last;
}

/** For each event, the previous event in its queue. */
function inTheirQueues(events: readonly TraceEvent[]): readonly (number | undefined)[] {
  const latest = new Map<string, number>();
  return events.map((e, index) => {
    const queue = `${e.device} ${e.queue}`;
    const previous = latest.get(queue);
    latest.set(queue, index);
    return previous;
  });
}

/**
 * The events that use the port of a send or a load: first earlier events of the trace, latest first, then later ones.
 * The trace is in the order in which the ranks run; on the clock, another rank's load may still use the port earlier.
 */
function portsOf({ events }: StepTrace): (index: number) => readonly number[] {
  const intoOf = (e: TraceEvent) => (e.kind === 'send' ? e.peer : e.kind === 'load' ? e.device : undefined);
  const [into, outOf] = [new Map<number, number[]>(), new Map<number, number[]>()];
  const note = (users: Map<number, number[]>, device: number | undefined, index: number): void => {
    if (device === undefined) return;
    const list = users.get(device);
    if (list) list.push(index);
    else users.set(device, [index]);
  };
  events.forEach((e, index) => {
    note(into, intoOf(e), index);
    if (e.kind === 'send') note(outOf, e.device, index);
  });
  return (index) => {
    const e = at(events, index);
    const device = intoOf(e);
    if (device === undefined) return [];
    const users = [...new Set([...(into.get(device) ?? []), ...((e.kind === 'send' && outOf.get(e.device)) || [])])];
    users.sort((a, b) => a - b);
    return [...users.filter((other) => other < index).reverse(), ...users.filter((other) => other > index)];
  };
}
