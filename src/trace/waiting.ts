/**
 * What a device's waiting for others in a step comes to, by the device that let it wait: what a straggler costs. Pure;
 * called by the failures panel.
 */
import type { Clock, DeviceIndex, StepTrace } from '../protocol/trace';
import { busySpans, idleIntervals } from './idle';
import { lateDevice } from './late-device';

/** Microseconds by device; only gaps that end with a message which another device's work was late for. */
export function waitingUs(trace: StepTrace, clock: Clock, device: DeviceIndex): ReadonlyMap<DeviceIndex, number> {
  const spans = busySpans(trace, clock);
  const result = new Map<DeviceIndex, number>();
  for (const gap of idleIntervals(trace, clock, device)) {
    const event = trace.events.find(
      (e, i) => e.device === device && e.kind === 'recv' && spans[i]?.startUs === gap.endUs,
    );
    const late = event && lateDevice(trace, spans, event);
    if (late !== undefined && late !== device) result.set(late, (result.get(late) ?? 0) + gap.endUs - gap.startUs);
  }
  return result;
}
