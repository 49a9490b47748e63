/**
 * The transfers of a step: one packet a send and the receive that matches it. What flies on the stage is this list and
 * nothing else. A send whose receive is not in the trace has no packet.
 */
import type { CollectiveRef, DeviceIndex, Payload, Slice, StepTrace } from '../protocol/trace';
import { type Clock, endOf, spanOf } from './clock';

export interface Packet {
  /** Indices into trace.events. */
  readonly send: number;
  readonly recv: number;
  readonly from: DeviceIndex;
  readonly to: DeviceIndex;
  readonly bytes: number;
  readonly payload: Payload;
  /** What was read on the sender, and where it went on the receiver. */
  readonly source: Slice;
  readonly target: Slice;
  readonly apply: 'put' | 'add';
  readonly collective: CollectiveRef | undefined;
  readonly bucket: number | undefined;
}

export interface Flight {
  readonly packet: Packet;
  /** 0 at the sender, 1 at the receiver. */
  readonly progress: number;
}

/** In the order of their sends. */
export function packetsOf(trace: StepTrace): readonly Packet[] {
  const indexOf = new Map(trace.events.map((event, index) => [event.id, index]));
  return trace.events.flatMap((event, send): Packet[] => {
    const recv = event.kind === 'send' && event.match !== undefined ? indexOf.get(event.match) : undefined;
    const target = recv === undefined ? undefined : trace.events[recv];
    if (recv === undefined || !target?.slice || !event.slice || event.peer === undefined) return [];
    return [
      {
        send,
        recv,
        from: event.device,
        to: event.peer,
        bytes: event.bytes,
        payload: event.payload ?? 'data',
        source: event.slice,
        target: target.slice,
        apply: target.apply ?? 'put',
        collective: event.collective,
        bucket: event.bucket,
      },
    ];
  });
}

/** From when the packet leaves to when the receiver has taken it. */
export function flightTime(trace: StepTrace, clock: Clock, packet: Packet): { readonly startUs: number; readonly endUs: number } {
  const { startUs } = spanOf(trace, clock, packet.send);
  return { startUs, endUs: Math.max(startUs, endOf(spanOf(trace, clock, packet.recv))) };
}

/** The packets under way at a time on a clock. */
export function packetsAt(trace: StepTrace, clock: Clock, timeUs: number, packets = packetsOf(trace)): readonly Flight[] {
  return packets.flatMap((packet): Flight[] => {
    const { startUs, endUs } = flightTime(trace, clock, packet);
    if (timeUs < startUs || timeUs >= endUs) return [];
    return [{ packet, progress: (timeUs - startUs) / (endUs - startUs) }];
  });
}

/**
 * The packets under way when events are walked one after the other: event `index` is `fraction` done, all before it are done. A packet
 * starts with its send and has arrived when its receive is done.
 */
export function packetsAtEvent(trace: StepTrace, index: number, fraction: number, packets = packetsOf(trace)): readonly Flight[] {
  const position = index + fraction;
  return packets.flatMap((packet): Flight[] => {
    const progress = (position - packet.send) / (packet.recv + 1 - packet.send);
    return progress > 0 && progress < 1 ? [{ packet, progress }] : [];
  });
}
