/**
 * The total time that devices wait for each other in a step, by the device that they wait for: the cost of a straggler.
 * Pure; called by the failures panel.
 */
import type { Clock, DeviceIndex, StepTrace, TraceEvent } from '../protocol/trace';
import { busySpans } from './idle';
import { type Interval, joined, without } from './intervals';
import { totalUs } from './lanes';
import { lateDevices } from './late-device';

/**
 * Microseconds by late device, summed over the waiting devices; only gaps that end with a message that another device's
 * work delayed.
 */
export function waitingUs(
  trace: StepTrace,
  clock: Clock,
  waiting: readonly DeviceIndex[],
): ReadonlyMap<DeviceIndex, number> {
  const spans = busySpans(trace, clock);
  const lateFor = lateDevices(trace, spans);
  const end = totalUs(trace, clock);
  const result = new Map<DeviceIndex, number>();
  for (const device of waiting) {
    const busy: Interval[] = [];
    const received = new Map<number, TraceEvent>();
    trace.events.forEach((event, index) => {
      const span = spans[index];
      if (event.device !== device || !span) return;
      busy.push(span);
      if (event.kind === 'recv' && !received.has(span.startUs)) received.set(span.startUs, event);
    });
    for (const { startUs, endUs } of without({ startUs: 0, endUs: end }, joined(busy))) {
      const event = received.get(endUs);
      const late = event && lateFor(event);
      if (late !== undefined && late !== device) result.set(late, (result.get(late) ?? 0) + endUs - startUs);
    }
  }
  return result;
}
