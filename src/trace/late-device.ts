/**
 * Finds the device whose work delayed a message: goes back from the receive to its send, always to the last
 * prerequisite, until the first event that is not a transfer. Pure; called by idle.ts (why a device idles) and
 * waiting.ts (what a straggler costs the others).
 */
import type { DeviceIndex, StepTrace, TraceEvent } from '../protocol/trace';

interface Ended {
  readonly endUs: number;
}

/** Undefined if the trace lacks the other side. */
export type LateDevice = (recv: TraceEvent) => DeviceIndex | undefined;

/** Prepares many queries on one trace by indexing it once. `spans`: parallel to trace.events. */
export function lateDevices(trace: StepTrace, spans: readonly Ended[]): LateDevice {
  const { events } = trace;
  const indexOf = new Map(events.map((e, index) => [e.id, index]));
  const end = (id: number): number => spans[indexOf.get(id) ?? -1]?.endUs ?? 0;
  /** By index, the previous event of the same queue. */
  const previousOf: (TraceEvent | undefined)[] = [];
  const lastOfQueue = new Map<string, TraceEvent>();
  events.forEach((event, index) => {
    const queue = `${event.device} ${event.queue}`;
    previousOf[index] = lastOfQueue.get(queue);
    lastOfQueue.set(queue, event);
  });
  const before = (event: TraceEvent): TraceEvent | undefined => previousOf[indexOf.get(event.id) ?? 0];
  return (recv) => {
    let current: TraceEvent | undefined = recv;
    for (let i = 0; i < events.length; i++) {
      if (current.kind === 'recv') current = events[indexOf.get(current.match ?? -1) ?? -1];
      if (!current) return undefined;
      const { device } = current;
      const previous = before(current);
      const candidates = [
        ...current.deps.flatMap((id) => events[indexOf.get(id) ?? -1] ?? []),
        ...(previous ? [previous] : []),
      ];
      let last: TraceEvent | undefined;
      for (const event of candidates) if (!last || end(event.id) >= end(last.id)) last = event;
      if (!last || (last.kind !== 'send' && last.kind !== 'recv')) return device;
      current = last;
    }
    return undefined;
  };
}
