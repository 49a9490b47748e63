/**
 * How much of its way each packet has made at a cursor. The packets of a moment fly together; several that take the
 * same road in it fly one after the other, since they would hide each other, and those that leave one device for
 * several, or come to one from several, leave in the order of their sends. Pure; called by facts-at.ts.
 */
import { firstOf, lastOf, type Moment, momentAt, type Position, progressIn } from '../../trace/moments/moment';
import type { Packet } from '../../trace/packets';

export interface FlyingPacket {
  readonly packet: Packet;
  /** The moment of both its send and its receive, and the part of the moment, 0..1, in which it flies. */
  readonly together: { readonly moment: Moment; readonly leaves: number; readonly arrives: number } | undefined;
}

/** The last of several that leave one device has this part of the moment behind it when it leaves. */
const LAST_LEAVES = 0.5;

/** The roads of a moment, each with its packets in order. */
type Roads = Map<string, Packet[]>;

/** The place, 0..1, of a road among those of its sender, or else of its receiver; undefined: it is alone. */
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

/** 0..1; undefined when it is not on its way. */
export function wayMade({ packet: { send, recv }, together }: FlyingPacket, position: Position): number | undefined {
  const { event, fraction } = position;
  const within = together && firstOf(together.moment) <= event && event <= lastOf(together.moment);
  const made =
    within && fraction < 1
      ? (progressIn(together.moment, position) - together.leaves) / (together.arrives - together.leaves)
      : // The cursor rests at a single event, or the packet is under way for longer than a moment.
        (event + fraction - send) / (recv + 1 - send);
  return made > 0 && made < 1 ? made : undefined;
}
