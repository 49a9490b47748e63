/**
 * How much of its way each packet has made at a cursor. The packets of a moment fly together; several that take the
 * same road in it fly one after the other, since they would hide each other. Pure; called by facts-at.ts.
 */
import { firstOf, lastOf, type Moment, momentAt, type Position, progressIn } from '../../trace/moments/moment';
import type { Packet } from '../../trace/packets';

export interface Flight {
  readonly packet: Packet;
  /** The moment of both its send and its receive, and its place among those of that moment on the same road. */
  readonly together: { readonly moment: Moment; readonly place: number; readonly of: number } | undefined;
}

export function flightsOf(packets: readonly Packet[], moments: readonly Moment[]): readonly Flight[] {
  const roads = new Map<string, number>();
  const placed = packets.map((packet) => {
    const moment = momentAt(moments, packet.send);
    if (!moment?.events.includes(packet.recv)) return { packet };
    const road = `${moment.index} ${packet.from} ${packet.to}`;
    const place = roads.get(road) ?? 0;
    roads.set(road, place + 1);
    return { packet, moment, place, road };
  });
  return placed.map(({ packet, moment, place, road }) => ({
    packet,
    together: moment && { moment, place, of: roads.get(road) ?? 1 },
  }));
}

/** 0..1; undefined when it is not on its way. */
export function wayMade({ packet: { send, recv }, together }: Flight, position: Position): number | undefined {
  const { event, fraction } = position;
  const within = together && firstOf(together.moment) <= event && event <= lastOf(together.moment);
  const made =
    within && fraction < 1
      ? progressIn(together.moment, position) * together.of - together.place
      : // The cursor rests at a single event, or the packet is under way for longer than a moment.
        (event + fraction - send) / (recv + 1 - send);
  return made > 0 && made < 1 ? made : undefined;
}
