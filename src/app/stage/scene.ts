/**
 * The scene: layout of a trace in a size (`planStage`, kept while neither changes), and what stands in it at a cursor
 * (`stageScene`, once a frame). Both pure; stage.tsx calls them and paints.
 */

import type { SessionInfo } from '../../protocol/session';
import type { StepTrace } from '../../protocol/trace';
import { type Packet, packetsOf } from '../../trace/packets';
import type { Size } from '../draw/geometry';
import { type BucketPlace, type DevicePlace, placeBuckets, placeDevices } from './devices';
import type { StageFacts } from './facts';
import { type LayoutInput, layoutStage, type StageLayout } from './layout';
import { memoryScale } from './memory-scene';
import { type PacketSize, packetScene, packetSizes } from './packet-scene';
import { transitItem } from './packet-tip';
import { layoutRoom, type RoomLayout, type RoomSpec, roomHeight } from './room-layout';
import { roomScene } from './room-scene';
import { type Link, type Route, routeLinks } from './routes';
import type { SceneItem, StageScene } from './scene-types';
import { createTiledValues, type TiledValues } from './tiles';

export interface StagePlan {
  readonly info: SessionInfo;
  readonly trace: StepTrace | undefined;
  readonly layout: StageLayout;
  readonly devices: readonly DevicePlace[];
  readonly buckets: readonly BucketPlace[];
  readonly rooms: readonly RoomLayout[];
  readonly routes: readonly Route[];
  readonly packetSize: PacketSize;
  readonly tiledValues: TiledValues;
}

const SMALLEST = { width: 150, height: 150 };
const SMALLEST_COMPACT = { width: 150, height: 140 };
const LARGEST = { width: 460, height: 380 };
const LARGEST_ALONE = { width: 860, height: 640 };
/** Cells that can still be told apart, and the smallest that show a pattern; below these the stage scrolls. */
const LEGIBLE_CELLS = [4, 3];
const TALLEST_NEED = 420;

/**
 * The height that a room needs depends on its width, and its width on the arrangement: a first layout tells the width.
 * Of the sizes of cells the largest that needs no scrolling is taken, else the smallest.
 */
function fitRooms(input: LayoutInput, specs: readonly RoomSpec[]): StageLayout {
  const rough = layoutStage(input);
  const width = rough.rooms[0]?.width ?? input.smallest.width;
  const layouts = LEGIBLE_CELLS.map((cell) => {
    const need = Math.max(input.smallest.height, ...specs.map((spec) => roomHeight(spec, width, rough.compact, cell)));
    return layoutStage({ ...input, smallest: { width: input.smallest.width, height: Math.min(need, TALLEST_NEED) } });
  });
  return layouts.find((layout) => layout.height <= input.height) ?? layouts.at(rough.compact ? 0 : -1) ?? rough;
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
  const chunks = Math.max(0, ...buckets.map((b) => b.chunks.length));
  const specs = devices.map(
    ({ layers, activations }): RoomSpec => ({
      activations: activations.map((a) => a.shape),
      layers: layers.map((l) => ({
        weight: l.weight.shape,
        bias: l.bias !== undefined,
        gradients: l.weight.gradient !== undefined,
        together: l.together,
      })),
      chunks: info.worldSize > 1 ? chunks : 0,
    }),
  );
  const input = {
    ...size,
    devices: info.worldSize,
    largest: info.worldSize === 1 ? LARGEST_ALONE : LARGEST,
    traffic: links.length > 0,
  };
  const layout = fitRooms({ ...input, smallest: size.width < 560 ? SMALLEST_COMPACT : SMALLEST }, specs);
  return {
    info,
    trace,
    layout,
    devices,
    buckets,
    rooms: layout.rooms.map((rect, d) =>
      layoutRoom(rect, specs[d] ?? { layers: [], activations: [], chunks: 0 }, layout.compact),
    ),
    routes: routeLinks(layout, links),
    packetSize: packetSizes(packets),
    tiledValues: createTiledValues(),
  };
}

/** The bucket that has been written last, or moves now; the first before that. */
function bucketShown({ buckets }: StagePlan, facts: StageFacts, device: number): BucketPlace | undefined {
  let shown = buckets[0];
  let latest = -1;
  for (const bucket of buckets) {
    const event = facts.content(device, bucket.buffer)?.event ?? -1;
    if (event <= latest) continue;
    shown = bucket;
    latest = event;
  }
  return shown;
}

/**
 * The packets that are drawn in a step: its transfers, but for those that carry nothing (a chunk of a bucket shorter
 * than the world).
 */
export function packetsToDraw(trace: StepTrace): readonly Packet[] {
  return packetsOf(trace).filter((p) => p.source.length > 0);
}

/** Each directed pair of devices that exchange something in the step. */
export function linksOf(packets: readonly Packet[]): readonly Link[] {
  const links = new Map(packets.map(({ from, to }) => [`${from}>${to}`, { from, to }]));
  return [...links.values()];
}

export function stageScene(plan: StagePlan, facts: StageFacts): StageScene {
  const scale = memoryScale(plan.devices.map(({ device }) => facts.memory(device)));
  const rooms = plan.devices.flatMap((place, d) => {
    const rect = plan.layout.rooms[d];
    const layout = plan.rooms[d];
    if (!rect || !layout) return [];
    const bucket = bucketShown(plan, facts, place.device);
    return [
      roomScene({
        info: plan.info,
        place,
        rect,
        layout,
        bucket,
        buckets: plan.buckets.length,
        facts,
        tiledValues: plan.tiledValues,
        memoryScale: scale,
      }),
    ];
  });
  const stage = plan.layout;
  const packets = facts.transits.flatMap((transit) => {
    const scene = packetScene(transit, plan.routes, plan.packetSize, stage);
    return scene ? [{ scene, item: transitItem(transit, scene) }] : [];
  });
  const items: readonly SceneItem[] = [...rooms.flatMap((r) => r.items), ...packets.map((p) => p.item)];
  return {
    width: stage.width,
    height: stage.height,
    layout: stage,
    rooms: rooms.map((r) => r.scene),
    routes: plan.routes,
    packets: packets.map((p) => p.scene),
    items,
  };
}
