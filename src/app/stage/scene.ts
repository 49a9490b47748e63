/**
 * The scene: `planStage` lays out a trace in a size (kept while neither changes), `stageScene` computes the content at
 * a cursor (once per frame). Both pure; stage.tsx calls them and paints.
 */
import type { SessionInfo } from '../../protocol/session-info';
import type { Slice, StepTrace } from '../../protocol/trace';
import { type Packet, packetsOf } from '../../trace/packets';
import type { Size } from '../draw/geometry';
import { type ArrowInput, placeArrows } from './arrow-labels';
import { type BucketPlace, placeBuckets } from './bucket-places';
import { type DevicePlace, placeDevices, titleOf } from './devices';
import type { Exchange } from './exchanges';
import type { StageFacts } from './facts';
import { groupFrames } from './group-frames';
import { layoutStage, type StageLayout, type StageLink } from './layout';
import { memoryScale } from './memory-scene';
import { createDrawings, type Drawings } from './operators/kept-picture';
import { type Dock, dockedRoad } from './packet-route';
import { type PacketSize, packetBox, packetScene, packetSizes } from './packet-scene';
import { transitItem } from './packet-tip';
import { contentOf, type RoomContent } from './room-content';
import { roomScene } from './room-scene';
import { largestRoom } from './room-size';
import type { RoomView } from './room-views';
import { type Road, type Route, routeLinks } from './routes';
import type { SceneItem, StageScene } from './scene-types';
import { stackOf } from './stack-of';
import { createTiledValues, type TiledValues } from './tiles';

export interface StagePlan {
  readonly info: SessionInfo;
  readonly trace: StepTrace | undefined;
  readonly layout: StageLayout;
  readonly devices: readonly DevicePlace[];
  readonly buckets: readonly BucketPlace[];
  readonly routes: readonly Route[];
  readonly packetSize: PacketSize;
  readonly tiledValues: TiledValues;
  /** The operator pictures drawn last, one per room. */
  readonly drawings: Drawings;
  /** The room contents laid out so far, by view; filled on demand. */
  readonly contents: readonly Map<RoomView, RoomContent>[];
}

export function planStage(
  info: SessionInfo,
  trace: StepTrace | undefined,
  packets: readonly Packet[],
  size: Size,
): StagePlan {
  const links = linksOf(packets);
  const devices = placeDevices(info, trace);
  const buckets = placeBuckets(info, trace);
  const largest = largestRoom(info.worldSize);
  const stack = stackOf(info.config);
  const layout = layoutStage({ ...size, devices: info.worldSize, largest, links, stack });
  return {
    info,
    trace,
    layout,
    devices,
    buckets,
    routes: routeLinks(layout, links),
    packetSize: packetSizes(packets),
    tiledValues: createTiledValues(),
    drawings: createDrawings(),
    contents: devices.map(() => new Map()),
  };
}

/** The room's content for a view; laid out on the first call. */
function contentOfView(
  plan: StagePlan,
  facts: StageFacts,
  { index, place }: Room,
  view: RoomView,
  wire: Exchange | undefined,
): RoomContent | undefined {
  const rect = plan.layout.rooms[index];
  const known = plan.contents[index];
  if (!rect || !known) return undefined;
  const found = known.get(view);
  // The row below the layers shows the bucket that began last; if the bucket has changed, only the row is laid out
  // again.
  if (found && (found.wire === undefined || found.wire.exchange === wire)) return found;
  const made = contentOf({ rect, place, view, step: facts.step, wire, buckets: plan.buckets.length });
  known.set(view, made);
  return made;
}

interface Room {
  readonly index: number;
  readonly place: DevicePlace;
}

/** The layout of a room's content at the cursor. */
function contentAt(plan: StagePlan, facts: StageFacts, d: number, place: DevicePlace): RoomContent | undefined {
  const view = facts.view(place.device);
  const first = plan.buckets[0];
  const wire = facts.wire(place.device) ?? (first && facts.step?.exchanges.ofBucket(first.index));
  const found = contentOfView(plan, facts, { index: d, place }, view, wire);
  // A room too low for a row of chunks below its layers shows only the chunks while they travel.
  if (!found?.product || found.wire || !wire || !travels(facts, place.device, wire)) return found;
  const chunks = wire.bucket && facts.step?.views.ofBucket(wire.bucket.index);
  return chunks ? contentOfView(plan, facts, { index: d, place }, chunks, wire) : found;
}

const travels = (facts: StageFacts, device: number, { rows }: Exchange): boolean =>
  (rows[device] ?? []).some((row) => facts.sends(device, row) || facts.arrival(device, row) !== undefined);

/**
 * The packets drawn in a step: its transfers, except empty ones (a bucket with fewer elements than ranks has empty
 * chunks).
 */
export function packetsToDraw(trace: StepTrace): readonly Packet[] {
  return packetsOf(trace).filter((p) => p.source.length > 0);
}

/** Every directed pair of devices with a transfer in the step. */
export function linksOf(packets: readonly Packet[]): readonly StageLink[] {
  const links = new Map<string, StageLink>();
  for (const { from, to, collective } of packets) {
    const key = `${from}>${to}`;
    links.set(key, { from, to, docked: collective !== undefined || links.get(key)?.docked === true });
  }
  return [...links.values()];
}

/** The chunk that contains the slice, if the room shows it. */
function dockOf(
  plan: StagePlan,
  contents: readonly (RoomContent | undefined)[],
  device: number,
  slice: Slice,
): Dock | undefined {
  const content = contents[device];
  const room = plan.layout.rooms[device];
  const shown = content?.chunks ?? content?.wire;
  const rows = shown?.exchange.rows[device] ?? [];
  const i = rows.findIndex((r) => r.buffer === slice.buffer && r.offset === slice.offset);
  const chunk = shown?.layout.chunks[i];
  return shown && chunk && room ? { frame: chunk.frame, room, kind: shown.layout.kind } : undefined;
}

function roadOf(plan: StagePlan, contents: readonly (RoomContent | undefined)[], packet: Packet): Road | undefined {
  const road = plan.routes.find((r) => r.from === packet.from && r.to === packet.to);
  const from = dockOf(plan, contents, packet.from, packet.source);
  const to = dockOf(plan, contents, packet.to, packet.target);
  return road && from && to ? dockedRoad(road, from, to, plan.layout) : road;
}

/**
 * The packets of the moment that have an arrow. Packets between the same two devices fly one after the other, so only
 * the flying one has an arrow, or else the last one that has arrived, or else the first. A moment of a whole collective
 * among 64 ranks has 8,064 packets on 64 ways.
 */
function withArrows({ moving, done }: StageFacts, flying: ReadonlySet<Packet>): readonly Packet[] {
  const onWay = new Map<string, Packet>();
  for (const packet of moving) {
    const way = `${packet.from} ${packet.to}`;
    const shown = onWay.get(way);
    const arrived = packet.recv <= done && (!shown || shown.recv <= packet.recv);
    if (!shown || flying.has(packet) || (arrived && !flying.has(shown))) onWay.set(way, packet);
  }
  return [...new Set([...onWay.values(), ...flying])];
}

export function stageScene(plan: StagePlan, facts: StageFacts): StageScene {
  const scale = memoryScale(plan.devices.map(({ device }) => facts.memory(device)));
  const contents = plan.devices.map((place, d) => contentAt(plan, facts, d, place));
  const rooms = plan.devices.flatMap((place, d) => {
    const rect = plan.layout.rooms[d];
    const content = contents[d];
    if (!rect || !content) return [];
    const { info, buckets, tiledValues, drawings } = plan;
    const input = { info, place, rect, content, buckets, facts, tiledValues, memoryScale: scale };
    return [roomScene(input, drawings.of(input))];
  });
  const stage = plan.layout;
  const flying = new Set(facts.transits.map(({ packet }) => packet));
  const roads = new Map(
    withArrows(facts, flying).flatMap((packet) => {
      const road = roadOf(plan, contents, packet);
      return road ? [[packet, road] as const] : [];
    }),
  );
  const packets = facts.transits.flatMap((transit) => {
    const road = roads.get(transit.packet);
    if (!road) return [];
    const scales = facts.step?.scales;
    const end = scales?.end(scales.kindOf(transit.packet.source.buffer)) ?? 1;
    const scene = packetScene(transit, road, plan.packetSize, { ...stage, end });
    return [{ scene, item: transitItem(transit, scene, (device) => titleOf(plan.info, device)) }];
  });
  // One arrow for all packets on the same road in a moment; its label names the flying packet, or the last one.
  const arrows = new Map<Road, ArrowInput>();
  for (const [packet, road] of roads) {
    const held = arrows.get(road);
    const box = packetBox(packet.bytes, road, plan.packetSize, stage.compact);
    const [width, height] = [Math.max(box.width, held?.box.width ?? 0), Math.max(box.height, held?.box.height ?? 0)];
    const said = held && flying.has(held.packet) ? held.packet : packet;
    arrows.set(road, { packet: said, path: road.path, box: { width, height } });
  }
  const items: readonly SceneItem[] = [...rooms.flatMap((r) => r.items), ...packets.map((p) => p.item)];
  return {
    width: stage.width,
    height: stage.height,
    layout: stage,
    groups: groupFrames(plan.info.config, stage),
    rooms: rooms.map((r) => r.scene),
    arrows: placeArrows([...arrows.values()], stage),
    apart: [],
    packets: packets.map((p) => p.scene),
    items,
  };
}
