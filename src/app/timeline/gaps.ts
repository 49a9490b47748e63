/**
 * The idle stretches of a device with the reason of each, prepared once per trace and clock: the timeline shades them,
 * the stage greys the device. Pure.
 */
import type { Clock, DeviceIndex, StepTrace } from '../../protocol/trace';
import { type Interval, idleIntervals, whyIdle } from '../../trace/idle';
import { spanOf } from '../../trace/lanes';

export interface Gap extends Interval {
  readonly device: DeviceIndex;
  /** Asked for only where somebody looks: the reason takes a walk through the trace. */
  readonly why: () => string;
  /** Whether the device has something to do afterwards. */
  readonly last: boolean;
}

function remembered(find: () => string): () => string {
  let known: string | undefined;
  return () => {
    known ??= find();
    return known;
  };
}

export function gapsOf(trace: StepTrace, clock: Clock, device: DeviceIndex): readonly Gap[] {
  const starts = trace.events.flatMap((e, i) => (e.device === device ? [spanOf(trace, clock, i).startUs] : []));
  const latest = Math.max(Number.NEGATIVE_INFINITY, ...starts);
  return idleIntervals(trace, clock, device).map(({ startUs, endUs }) => ({
    startUs,
    endUs,
    device,
    why: remembered(() => whyIdle(trace, clock, device, (startUs + endUs) / 2) ?? ''),
    last: latest <= startUs,
  }));
}
