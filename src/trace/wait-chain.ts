/**
 * Why an event was late, from rank to rank: the message that it waited for, what the sender of this message had waited
 * for, and so on back to the first late work; and how much longer that work took there than on the waiting rank. Pure;
 * the timeline tells it in words (why-words.ts) and draws it as arrows.
 */
import { at } from '../base/invariant';
import type { DeviceIndex, Phase, TraceEvent } from '../protocol/trace';
import type { Causes } from './causes';

export interface WaitHop {
  /** A receive that waited, and the send that it waited for. */
  readonly recv: number;
  readonly send: number;
  /** When the receiver had everything that it needed from its own device. */
  readonly waitedUs: number;
}

export interface Delay {
  readonly phase: Phase;
  /** '' if none; the event's name then identifies it. */
  readonly module: string;
  readonly event: number;
  readonly longerUs: number;
}

export interface WaitChain {
  readonly event: number;
  /** Hops from the event back to the cause; empty: it waited for no other device. */
  readonly hops: readonly WaitHop[];
  /** The last sender's work before its send; undefined: it had none. */
  readonly cause: number | undefined;
  /** How much later that work ended there than the same work on the event's device; undefined: nothing to compare. */
  readonly lateUs: number | undefined;
  /** The work with the largest delay compared with the same work here; undefined: none. */
  readonly most: Delay | undefined;
  /** The ratio of the times of all work up to there. */
  readonly slower: number | undefined;
}

export function waitChain(causes: Causes, event: number): WaitChain {
  const { trace } = causes;
  const hops: WaitHop[] = [];
  let current: number | undefined = event;
  while (current !== undefined) {
    const e: TraceEvent = at(trace.events, current);
    if (e.peer === undefined && current !== event) break;
    const held = causes.heldBy(current);
    const own = ownBefore(causes, current);
    const waitedUs = at(causes.spans, current).startUs - (own === undefined ? 0 : at(causes.spans, own).endUs);
    if (held?.by === 'message' && waitedUs > causes.nothingUs) {
      hops.push({ recv: current, send: held.event, waitedUs });
      current = held.event;
    } else current = own;
  }
  const compared = hops.length === 0 || current === undefined ? undefined : compare(causes, event, current);
  return { event, hops, cause: current, lateUs: compared?.lateUs, most: compared?.most, slower: compared?.slower };
}

/** The cause on the event's own device: its queue, or the data that it reads. */
function ownBefore(causes: Causes, event: number): number | undefined {
  const { device } = at(causes.trace.events, event);
  const own = [...causes.needs(event), ...(causes.before(event) === undefined ? [] : [causes.before(event) ?? 0])];
  let last: number | undefined;
  for (const other of own) {
    if (at(causes.trace.events, other).device !== device) continue;
    if (last === undefined || at(causes.spans, other).endUs > at(causes.spans, last).endUs) last = other;
  }
  return last;
}

/** Compares the work of one device up to an event with the same work of the waiting device. */
function compare(causes: Causes, event: number, cause: number) {
  const { trace, spans, nothingUs } = causes;
  const here = at(trace.events, event).device;
  const there = at(trace.events, cause).device;
  const own = workOf(causes, here);
  const longer = new Map<string, { phase: Phase; module: string; event: number; longerUs: number }>();
  let [thereUs, hereUs] = [0, 0];
  let same: number | undefined;
  for (const [key, index] of workOf(causes, there)) {
    const other = own.get(key);
    if (index > cause || other === undefined) continue;
    if (index === cause) same = other;
    const { phase, module, name } = at(trace.events, index);
    const group = module === '' ? name : `${phase} ${module}`;
    const sum = longer.get(group) ?? { phase, module, event: index, longerUs: 0 };
    sum.longerUs += length(causes, index) - length(causes, other);
    thereUs += length(causes, index);
    hereUs += length(causes, other);
    longer.set(group, sum);
  }
  if (same === undefined) return undefined;
  const lateUs = at(spans, cause).endUs - at(spans, same).endUs;
  const [most] = [...longer.values()].sort((a, b) => b.longerUs - a.longerUs);
  return {
    lateUs,
    most: most && most.longerUs > nothingUs ? most : undefined,
    slower: hereUs > 0 ? thereUs / hereUs : undefined,
  };
}

const length = ({ spans }: Causes, index: number): number => at(spans, index).endUs - at(spans, index).startUs;

/** A device's work, by a name that is the same on every device. */
function workOf({ trace }: Causes, device: DeviceIndex): ReadonlyMap<string, number> {
  const work = new Map<string, number>();
  const counts = new Map<string, number>();
  trace.events.forEach((e, index) => {
    if (e.device !== device || e.peer !== undefined) return;
    const name = `${e.name} ${e.phase} ${e.module} ${e.bucket ?? ''}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    work.set(`${name} ${count}`, index);
  });
  return work;
}
