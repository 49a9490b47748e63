/**
 * Answers the scene's questions from the derivations in src/trace. One `TraceFacts` a trace holds what does not change
 * with the cursor; `at` is called once a frame. A packet is on its way from the begin of its send to the end of its
 * receive, as the cursor walks the events; what a device is busy with is read off the clock, because devices work at
 * the same time.
 */
import type { SessionInfo } from '../../protocol/session';
import type { Clock, StepTrace } from '../../protocol/trace';
import { ContentsCursor } from '../../trace/contents';
import { memoryOf } from '../../trace/memory';
import type { Packet } from '../../trace/packets';
import type { Position } from '../../trace/position';
import { summedAt } from '../../trace/sums';
import { createWalkTime, type WalkTime } from '../../trace/walk-time';
import { createDeviceClock, type DeviceClock } from './device-now';
import type { StageFacts, Transit } from './facts';
import { packetsToDraw } from './scene';

export interface TraceFacts {
  readonly packets: readonly Packet[];
  at(position: Position, clock: Clock): StageFacts;
}

/**
 * How much of its way a packet has made when the cursor walks: event 3 half done is place 3.5; undefined when it is not
 * on its way.
 */
export function wayMade(
  { send, recv }: Pick<Packet, 'send' | 'recv'>,
  { event, fraction }: Position,
): number | undefined {
  const made = (event + fraction - send) / (recv + 1 - send);
  return made > 0 && made < 1 ? made : undefined;
}

export function createTraceFacts(info: SessionInfo, trace: StepTrace): TraceFacts {
  const packets = packetsToDraw(trace);
  const contents = new ContentsCursor(trace);
  const memory = memoryOf(trace, info.buffers);
  const clocks = new Map<Clock, { readonly devices: DeviceClock; readonly walk: WalkTime }>();
  const clockOf = (clock: Clock) => {
    const known = clocks.get(clock) ?? { devices: createDeviceClock(trace, clock), walk: createWalkTime(trace, clock) };
    clocks.set(clock, known);
    return known;
  };
  /** A packet carries what stood in the sender's buffer when it left. */
  const sent = new Map<Packet, Float32Array | undefined>();
  const carried = (packet: Packet): Float32Array | undefined => {
    if (!sent.has(packet)) {
      const at = contents.position;
      sent.set(packet, contents.seek(packet.send).values(packet.from, packet.source));
      contents.seek(at);
    }
    return sent.get(packet);
  };
  const worked = trace.events.flatMap(({ device, module, kind }, event) =>
    kind === 'compute' && module !== '' ? [{ device, module, event }] : [],
  );
  const inFlight = (position: Position): readonly Transit[] =>
    packets.flatMap((packet): Transit[] => {
      const progress = wayMade(packet, position);
      return progress === undefined ? [] : [{ packet, progress, values: carried(packet) }];
    });
  return {
    packets,
    at(position, clock) {
      const done = position.fraction >= 1 ? position.event : position.event - 1;
      const { devices, walk } = clockOf(clock);
      const time = walk.timeOf(position);
      contents.seek(done);
      return {
        event: position.event,
        content: (device, buffer) => contents.content(device, buffer),
        known: (device, slice) => contents.values(device, slice)?.length ?? 0,
        now: (device) => devices.now(device, time),
        lastModule: (device) =>
          worked.findLast((work) => work.device === device && work.event <= position.event)?.module ?? '',
        memory: (device) => {
          const planned = info.memory.find((m) => m.device === device);
          const budgetBytes = planned?.budgetBytes ?? 0;
          return { bytes: memory.at(device, done), peakBytes: planned?.peakBytes ?? 0, budgetBytes };
        },
        summed: (device, slice) => summedAt(trace, done, device, slice),
        wrote: (device, slice) => {
          const e = trace.events[position.event];
          const touched = e?.kind === 'recv' ? e.slice?.offset === slice.offset : e?.writes.includes(slice.buffer);
          return e?.device === device && e.writes.includes(slice.buffer) && touched === true && done === position.event;
        },
        transits: inFlight(position),
      };
    },
  };
}
