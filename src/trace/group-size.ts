/**
 * How many ranks an event is among: those of its collective's group, or of the collective that reduces its bucket; else
 * all that the step has. Sentences speak of that many.
 */
import type { StepTrace, TraceEvent } from '../protocol/trace';

export function groupSize(trace: StepTrace, event: TraceEvent): number {
  const { device, bucket } = event;
  const group =
    event.collective?.group ??
    (bucket === undefined
      ? undefined
      : trace.events.find((other) => other.device === device && other.bucket === bucket && other.collective)?.collective
          ?.group);
  return group?.ranks.length ?? new Set(trace.events.map(({ rank }) => rank)).size;
}
