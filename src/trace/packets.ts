/**
 * The transfers of a step as packets: a send and its receive, paired by `match`, with their contents and their times on
 * each clock. Every packet stands for one pair that really ran. Pure; called by the stage, the timeline and the counts
 * of bytes.
 */
import { must } from '../base/invariant';
import type { Apply, Clock, CollectiveRef, DeviceIndex, Payload, Slice, StepTrace } from '../protocol/trace';
import { isBeside, joinedSlice } from './joined';
import { endUs, spanOf } from './lanes';

export interface Flight {
  /** The send begins. */
  readonly startUs: number;
  /** The receiver has stored or added it. */
  readonly endUs: number;
}

export interface Packet {
  /** Indices into trace.events. */
  readonly send: number;
  readonly recv: number;
  readonly from: DeviceIndex;
  readonly to: DeviceIndex;
  readonly bytes: number;
  readonly payload: Payload;
  /** The stretch that is sent, and the stretch of the receiver that is written or added to. */
  readonly source: Slice;
  readonly target: Slice;
  readonly apply: Apply;
  readonly collective: CollectiveRef | undefined;
  /** In a pipeline: its micro-batch. */
  readonly microBatch?: number;
  readonly measured: Flight;
  readonly modelled: Flight;
}

/** In the order of their receives. */
export function packetsOf(trace: StepTrace): readonly Packet[] {
  const indexOf = new Map(trace.events.map((e, index) => [e.id, index]));
  return trace.events.flatMap((recv, index): Packet[] => {
    if (recv.kind !== 'recv') return [];
    const send = must(
      recv.match === undefined ? undefined : indexOf.get(recv.match),
      `the send that event ${recv.id} received`,
    );
    const sent = must(trace.events[send], 'send');
    const [source, received] = [must(sent.slice, 'slice sent'), must(recv.slice, 'slice received')];
    const flight = (clock: Clock): Flight => ({
      startUs: spanOf(trace, clock, send).startUs,
      endUs: Math.max(endUs(spanOf(trace, clock, send)), endUs(spanOf(trace, clock, index))),
    });
    return [
      {
        send,
        recv: index,
        from: sent.device,
        to: recv.device,
        bytes: sent.bytes,
        payload: must(sent.payload, 'payload'),
        source,
        target: joinedSlice(received, source),
        apply: isBeside(received, source) ? 'add' : (recv.apply ?? 'put'),
        collective: recv.collective,
        ...(recv.action ? { microBatch: recv.action.microBatch } : {}),
        measured: flight('measured'),
        modelled: flight('modelled'),
      },
    ];
  });
}

/** Packets in flight at a time. Callers that need them every frame keep the result of packetsOf and use flyingAt. */
export const packetsAt = (trace: StepTrace, clock: Clock, timeUs: number): readonly Packet[] =>
  flyingAt(packetsOf(trace), clock, timeUs);

export function flyingAt(packets: readonly Packet[], clock: Clock, timeUs: number): readonly Packet[] {
  return packets.filter((p) => p[clock].startUs <= timeUs && timeUs < p[clock].endUs);
}

/** The progress of a packet, 0..1. */
export function progressAt(packet: Packet, clock: Clock, timeUs: number): number {
  const { startUs, endUs: end } = packet[clock];
  if (timeUs >= end) return 1;
  return Math.max(0, (timeUs - startUs) / (end - startUs));
}
