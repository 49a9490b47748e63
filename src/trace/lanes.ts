/**
 * Rows of the timeline: for each device what its compute queue did, and below it what its communication queue did. Called by the timeline
 * and by idle.ts; a device without work has its two empty rows all the same.
 */
import { at } from '../base/invariant';
import type { DeviceIndex, Queue, StepTrace } from '../protocol/trace';
import { type Clock, type Span, spanOf } from './clock';
import { deviceCount } from './devices';

export const QUEUES: readonly Queue[] = ['compute', 'comm'];

export interface LaneSpan extends Span {
  /** Index into trace.events. */
  readonly event: number;
}

export interface TimelineLane {
  readonly device: DeviceIndex;
  readonly queue: Queue;
  /** By start time. */
  readonly spans: readonly LaneSpan[];
}

/** Two lanes a device, compute then comm, in device order. */
export function lanesOf(trace: StepTrace, clock: Clock): readonly TimelineLane[] {
  const lanes = Array.from({ length: 2 * deviceCount(trace) }, (): LaneSpan[] => []);
  trace.events.forEach(({ device, queue, kind }, event) => {
    if (kind === 'wait') return;
    const { startUs, durUs } = spanOf(trace, clock, event);
    at(lanes, 2 * device + QUEUES.indexOf(queue)).push({ event, startUs, durUs });
  });
  return lanes.map((spans, row) => ({
    device: row >> 1,
    queue: at(QUEUES, row & 1),
    spans: spans.sort((a, b) => a.startUs - b.startUs || a.event - b.event),
  }));
}
