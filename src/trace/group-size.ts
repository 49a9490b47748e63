/**
 * The number of ranks that sentences name for an event: the ranks of its collective's group, or of the collective that
 * reduces its bucket; otherwise all ranks of the step.
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
