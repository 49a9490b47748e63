/**
 * The share of its way that each packet has completed at a cursor. The packets of a moment fly together, with two
 * exceptions: packets on the same road fly one after the other, because they would hide each other, and packets from
 * one device to several, or from several to one, leave in the order of their sends. Pure; called by facts-at.ts.
 */
import { firstOf, lastOf, type Moment, momentAt, type Position, progressIn } from '../../trace/moments/moment';
import type { Packet } from '../../trace/packets';

export interface FlyingPacket {
  readonly packet: Packet;
  /** The moment that contains both send and receive, and the part of the moment, 0..1, in which the packet flies. */
  readonly together: { readonly moment: Moment; readonly leaves: number; readonly arrives: number } | undefined;
}

/** The last of several packets from one device leaves at this share of the moment. */
const LAST_LEAVES = 0.5;

/** The roads of a moment with the packets on each road, in order. */
type Roads = Map<string, Packet[]>;

/**
 * The place, 0..1, of a road among all roads of its sender, or else of its receiver; undefined if it is the only road.
 */
function turnOf(roads: Roads, { from, to }: Packet): number | undefined {
  const ends = [...roads.values()].flatMap(([first]) => (first ? [first] : []));
  const fan = [ends.filter((p) => p.from === from), ends.filter((p) => p.to === to)].find((own) => own.length > 1);
  return fan && fan.findIndex((p) => p.from === from && p.to === to) / (fan.length - 1);
}

export function flightsOf(packets: readonly Packet[], moments: readonly Moment[]): readonly FlyingPacket[] {
  const roadsOf = new Map<Moment, Roads>();
  const keyOf = ({ from, to }: Packet): string => `${from} ${to}`;
  const momentOf = new Map<Packet, Moment>();
  for (const packet of packets) {
    const moment = momentAt(moments, packet.send);
    if (!moment?.events.includes(packet.recv)) continue;
    momentOf.set(packet, moment);
    const roads = roadsOf.get(moment) ?? new Map<string, Packet[]>();
    roadsOf.set(moment, roads);
    roads.set(keyOf(packet), [...(roads.get(keyOf(packet)) ?? []), packet]);
  }
  return packets.map((packet) => {
    const moment = momentOf.get(packet);
    const roads = moment && roadsOf.get(moment);
    const own = roads?.get(keyOf(packet));
    if (!moment || !roads || !own) return { packet, together: undefined };
    const turn = turnOf(roads, packet);
    const time = (turn === undefined ? 1 : 1 - LAST_LEAVES) / own.length;
    const leaves = LAST_LEAVES * (turn ?? 0) + own.indexOf(packet) * time;
    return { packet, together: { moment, leaves, arrives: leaves + time } };
  });
}

/** The completed share of the way, 0..1; undefined if the packet is not flying. */
export function wayMade({ packet: { send, recv }, together }: FlyingPacket, position: Position): number | undefined {
  const { event, fraction } = position;
  const within = together && firstOf(together.moment) <= event && event <= lastOf(together.moment);
  const made =
    within && fraction < 1
      ? (progressIn(together.moment, position) - together.leaves) / (together.arrives - together.leaves)
      : // The cursor rests at a single event, or the packet flies for longer than one moment.
        (event + fraction - send) / (recv + 1 - send);
  return made > 0 && made < 1 ? made : undefined;
}
