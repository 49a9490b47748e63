/** The messages of a moment: senders, receivers, and whether the receivers add. Pure; called by the sentences. */
import { at } from '../../base/invariant';
import type { DeviceIndex, StepTrace, TraceEvent } from '../../protocol/trace';
import type { Moment } from './moment';

export interface Hops {
  /** The messages by their sends, or by their receives if they were sent in an earlier moment. */
  readonly sends: readonly TraceEvent[];
  readonly from: ReadonlySet<DeviceIndex>;
  readonly to: ReadonlySet<DeviceIndex>;
  /** Whether the receivers add the messages to their own values. */
  readonly adds: boolean;
  /** Number of groups of ranks that do this side by side. */
  readonly groups: number;
}

/** Whether every sender receives a message from its receiver. */
export const isSwap = ({ sends }: Hops): boolean =>
  sends.every(({ device, peer }) => sends.some((e) => e.device === peer && e.peer === device));

export function hopsOf(trace: StepTrace, { events }: Moment): Hops {
  const own = events.map((index) => at(trace.events, index));
  const sends = own.filter((e) => e.kind === 'send');
  // Messages without sends in this moment were sent in another.
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
