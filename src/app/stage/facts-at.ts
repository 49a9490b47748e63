/**
 * Answers the scene's questions from the derivations in src/trace. One `TraceFacts` per trace holds what does not
 * change with the cursor; `at` is called once per frame. In the middle of a moment all its packets are on their way and
 * none of its work is done (trace/moments/moment explains how a cursor is read); only the optimiser's new weights are
 * shown from the middle on. A device is shown doing its part in the moment; without one, what it does at that time by
 * the clock.
 */
import { groupBy } from '../../base/group-by';
import { at } from '../../base/invariant';
import type { SessionInfo } from '../../protocol/session-info';
import type { Clock, DeviceIndex, Slice, StepTrace } from '../../protocol/trace';
import { type Content, ContentsCursor } from '../../trace/contents';
import { memoryOf } from '../../trace/memory';
import { doneAt, firstOf, lastOf, type Moment, type Position, progressIn } from '../../trace/moments/moment';
import { isConversion } from '../../trace/moments/precision-sentence';
import type { Packet } from '../../trace/packets';
import { createWalkTime, type WalkTime } from '../../trace/walk-time';
import { createDeviceClock, type DeviceClock } from './device-now';
import type { ChunkArrival } from './exchanges';
import type { StageFacts, Transit } from './facts';
import { type FlyingPacket, flightsOf, wayMade } from './flights';
import { packetsToDraw } from './scene';
import { type StepPicture, stepPicture } from './step-picture';

export interface TraceFacts {
  readonly packets: readonly Packet[];
  readonly step: StepPicture;
  at(position: Position, clock: Clock): StageFacts;
}

const covers = (a: Slice, b: Slice): boolean =>
  a.buffer === b.buffer && a.offset <= b.offset && b.offset + b.length <= a.offset + a.length;

/** For every moment, the packets that are on their way in it. */
function byMoment(
  flights: readonly FlyingPacket[],
  { moments, momentOf }: StepPicture,
): readonly (readonly FlyingPacket[])[] {
  const by = moments.map((): FlyingPacket[] => []);
  for (const flight of flights)
    for (let m = momentOf(flight.packet.send); m <= momentOf(flight.packet.recv); m++) by[m]?.push(flight);
  return by;
}

const NO_EVENTS: readonly number[] = [];

/** The packets of a moment: all of them, and those that each device sends and receives. */
interface Moving {
  readonly moving: readonly Packet[];
  readonly from: ReadonlyMap<DeviceIndex, readonly Packet[]>;
  readonly to: ReadonlyMap<DeviceIndex, readonly Packet[]>;
}

function createMoving(flights: readonly (readonly FlyingPacket[])[]): (moment: number) => Moving {
  const known = new Map<number, Moving>();
  return (moment) => {
    const found = known.get(moment);
    if (found) return found;
    const moving = (flights[moment] ?? []).map(({ packet }) => packet);
    const made = { moving, from: groupBy(moving, (p) => p.from), to: groupBy(moving, (p) => p.to) };
    known.set(moment, made);
    return made;
  };
}

/** A packet carries the values that the sender's buffer held when the packet left. */
function createCarried(contents: ContentsCursor): (packet: Packet) => Float32Array | undefined {
  const sent = new Map<Packet, Float32Array | undefined>();
  return (packet) => {
    if (!sent.has(packet)) {
      const position = contents.position;
      sent.set(packet, contents.seek(packet.send).values(packet.from, packet.source));
      contents.seek(position);
    }
    return sent.get(packet);
  };
}

/** By device and buffer, the events among `own` that write the buffer; kept for the last `own`, a moment's events. */
function createWriters(events: StepTrace['events']) {
  let known: { readonly own: readonly number[]; readonly writers: ReadonlyMap<string, readonly number[]> } | undefined;
  return (own: readonly number[]): ReadonlyMap<string, readonly number[]> => {
    if (known?.own !== own) {
      const writes = own.flatMap((index) => {
        const { device, writes } = at(events, index);
        return writes.map((buffer) => ({ index, place: `${device} ${buffer}` }));
      });
      const groups = groupBy(writes, ({ place }) => place);
      known = { own, writers: new Map([...groups].map(([place, all]) => [place, all.map(({ index }) => index)])) };
    }
    return known.writers;
  };
}

/**
 * The content of a buffer that a cast or an unpacking of the same moment fills, while the moment's operators compute.
 * Not for a result that a conversion rounds: during the moment that result does not exist yet. `all`: whatever fills
 * the buffer.
 */
function createConverted(contents: ContentsCursor, { events }: StepTrace) {
  const made = new Map<string, Content | undefined>();
  const writersIn = createWriters(events);
  return (own: readonly number[], all: boolean, device: DeviceIndex, buffer: string): Content | undefined => {
    const writers = writersIn(own).get(`${device} ${buffer}`) ?? [];
    const last = writers.at(-1);
    if (last === undefined || !(all || writers.every((index) => isConversion(at(events, index))))) return undefined;
    const key = `${last} ${buffer}`;
    if (!made.has(key)) {
      const position = contents.position;
      made.set(key, contents.seek(last).content(device, buffer));
      contents.seek(position);
    }
    return made.get(key);
  };
}

/** The time halfway through a moment. */
const middleOf = (moment: Moment, walk: WalkTime): number =>
  (walk.timeOf({ event: firstOf(moment), fraction: 0 }) + walk.timeOf({ event: lastOf(moment), fraction: 1 })) / 2;

export function createTraceFacts(info: SessionInfo, trace: StepTrace): TraceFacts {
  const packets = packetsToDraw(trace);
  const step = stepPicture(info, trace);
  const { moments } = step;
  const flights = byMoment(flightsOf(packets, moments), step);
  const contents = new ContentsCursor(trace);
  const memory = memoryOf(trace, info.buffers);
  const clocks = new Map<Clock, { readonly devices: DeviceClock; readonly walk: WalkTime }>();
  const clockOf = (clock: Clock) => {
    const known = clocks.get(clock) ?? { devices: createDeviceClock(trace, clock), walk: createWalkTime(trace, clock) };
    clocks.set(clock, known);
    return known;
  };
  const carried = createCarried(contents);
  const movingIn = createMoving(flights);
  const converted = createConverted(contents, trace);
  const inFlight = (own: readonly FlyingPacket[], position: Position): readonly Transit[] =>
    own.flatMap((flight): Transit[] => {
      const { packet } = flight;
      const progress = wayMade(flight, position);
      return progress === undefined ? [] : [{ packet, progress, values: carried(packet) }];
    });
  return {
    packets,
    step,
    at(position, clock) {
      const done = doneAt(moments, position);
      const { devices, walk } = clockOf(clock);
      const index = step.momentOf(position.event);
      const moment = moments[index];
      const own = moment?.events ?? NO_EVENTS;
      // The step ends with the optimiser's moment, so no later moment shows the new weights: its second half does.
      const updated = position.fraction < 1 && moment?.kind === 'update' && progressIn(moment, position) > 0.5;
      // One time for the whole moment, so that a device's words do not change during it.
      const time = moment ? middleOf(moment, walk) : 0;
      const now = flights[index] ?? [];
      const { moving, from, to } = movingIn(index);
      contents.seek(done);
      const arrival = (device: DeviceIndex, slice: Slice): ChunkArrival | undefined => {
        const arriving = to.get(device)?.filter(({ target }) => covers(target, slice));
        const packet = arriving?.findLast(({ recv }) => recv <= done) ?? arriving?.[0];
        if (!packet) return undefined;
        const start = slice.offset - packet.target.offset;
        const values = carried(packet)?.subarray(start, start + slice.length);
        return { from: packet.from, adds: packet.apply !== 'put', there: packet.recv <= done, values };
      };
      return {
        event: position.event,
        done,
        step,
        content: (device, buffer) => converted(own, updated, device, buffer) ?? contents.content(device, buffer),
        known: (device, slice) => contents.values(device, slice)?.length ?? 0,
        // In a turn of a pipeline, a device without an action waits for one.
        now: (device) => devices.now(device, time, own, moment?.turn !== undefined),
        stageWork: (device) => step.stageWork?.at(device, done, index),
        memory: (device) => {
          const planned = info.memory.find((m) => m.device === device);
          const budgetBytes = planned?.budgetBytes ?? 0;
          return { bytes: memory.at(device, done), peakBytes: planned?.peakBytes ?? 0, budgetBytes };
        },
        contributors: (device, slice) => step.contributors.in(done, device, slice),
        sends: (device, slice) => from.get(device)?.some(({ source }) => covers(source, slice)) ?? false,
        arrival,
        view: (device) => step.views.at(index, device),
        wire: (device) => step.views.wire(index, device),
        fresh: (event) => event !== undefined && event >= 0 && step.momentOf(event) === index,
        under: (event) => event !== undefined && event > done && step.momentOf(event) === index,
        moving,
        transits: inFlight(now, position),
      };
    },
  };
}
