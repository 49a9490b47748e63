/** The messages of a moment: who sends to whom, and what becomes of it. Pure; called by the sentences. */
import { at } from '../../base/invariant';
import type { DeviceIndex, StepTrace, TraceEvent } from '../../protocol/trace';
import type { Moment } from './moment';

export interface Hops {
  /** The messages by their sends; by their receives where they were sent before. */
  readonly sends: readonly TraceEvent[];
  readonly from: ReadonlySet<DeviceIndex>;
  readonly to: ReadonlySet<DeviceIndex>;
  /** What comes is added to what is there. */
  readonly adds: boolean;
  /** Groups of ranks that do this beside each other. */
  readonly groups: number;
}

/** Everyone who sends gets as much from whom they send to. */
export const isSwap = ({ sends }: Hops): boolean =>
  sends.every(({ device, peer }) => sends.some((e) => e.device === peer && e.peer === device));

export function hopsOf(trace: StepTrace, { events }: Moment): Hops {
  const own = events.map((index) => at(trace.events, index));
  const sends = own.filter((e) => e.kind === 'send');
  // What comes in a moment of its own was sent in another.
  const receives = own.filter((e) => e.kind === 'recv');
  const [near, far] = sends.length > 0 ? [sends, 'from'] : [receives, 'to'];
  const ends = { from: new Set<DeviceIndex>(), to: new Set<DeviceIndex>() };
  for (const { device, peer = device } of near) {
    ends.from.add(far === 'from' ? device : peer);
    ends.to.add(far === 'from' ? peer : device);
  }
  return {
    sends: near,
    ...ends,
    adds: own.some((e) => e.kind === 'recv' && e.apply !== 'put'),
    groups: new Set(own.map((e) => e.collective?.group?.id ?? 0)).size,
  };
}
