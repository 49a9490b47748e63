/**
 * The number of ranks whose sum a stretch of a buffer holds at a place of the trace, which chunk tiles show beside
 * their values. Pure; called by the stage and by sentences.
 */
import type { DeviceIndex, Slice, StepTrace, TraceEvent } from '../protocol/trace';

const overlap = (a: Slice, b: Slice): boolean =>
  a.buffer === b.buffer && a.offset < b.offset + b.length && b.offset < a.offset + a.length;

/** Index of the last of events 0..cursor that wrote into the stretch on that device. */
export function lastWriter(trace: StepTrace, cursor: number, device: DeviceIndex, slice: Slice): number | undefined {
  for (let index = Math.min(cursor, trace.events.length - 1); index >= 0; index--) {
    const e = trace.events[index];
    if (e?.device === device && writes(e, slice)) return index;
  }
  return undefined;
}

/** 0 before this step writes it, 1 for the device's own values, the world size after the all-reduce. */
export function summedAt(trace: StepTrace, cursor: number, device: DeviceIndex, slice: Slice): number {
  const writer = lastWriter(trace, cursor, device, slice);
  if (writer === undefined) return 0;
  return trace.events[writer]?.collective?.summed ?? 1;
}

function writes(e: TraceEvent, slice: Slice): boolean {
  if (e.kind === 'recv') return e.slice !== undefined && overlap(e.slice, slice);
  return e.writes.includes(slice.buffer);
}
