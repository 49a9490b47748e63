/**
 * The idle stretches of a device and their reasons, prepared once per trace and clock: the timeline shades the
 * stretches, and the stage greys the device. Pure.
 */
import { once } from '../../base/once';
import type { Clock, DeviceIndex, StepTrace } from '../../protocol/trace';
import { createIdleTimes, type IdleReason, type IdleTimes, idleIntervals, idleReason } from '../../trace/idle';
import type { Interval } from '../../trace/intervals';
import { spanOf } from '../../trace/lanes';

export interface Gap extends Interval {
  readonly device: DeviceIndex;
  /** A function, because finding the reason takes a walk through the trace. */
  readonly why: () => string;
  readonly reason: () => IdleReason | undefined;
  /** Whether the device has something to do afterwards. */
  readonly last: boolean;
}

/** `times`: lets callers compute the times once for several devices. */
export function gapsOf(
  trace: StepTrace,
  clock: Clock,
  device: DeviceIndex,
  times: IdleTimes = createIdleTimes(trace, clock),
): readonly Gap[] {
  const starts = times.eventsOf(device).map((index) => spanOf(trace, clock, index).startUs);
  const latest = Math.max(Number.NEGATIVE_INFINITY, ...starts);
  return idleIntervals(trace, clock, device, times).map(({ startUs, endUs }) => {
    const reason = once(() => idleReason(trace, clock, device, (startUs + endUs) / 2, times));
    return { startUs, endUs, device, why: () => reason()?.text ?? '', reason, last: latest <= startUs };
  });
}
