/**
 * The room that the reader has opened, drawn over all others, as large as the stage allows, with the words and numbers
 * for which small rooms have no place. Only its size differs from the small room. Fetched when the first room is
 * opened. Pure.
 */
import type { Rect } from '../draw/geometry';
import type { StageFacts } from './facts';
import { memoryScale } from './memory-scene';
import { createDrawings } from './operators/kept-picture';
import { contentOf, type RoomContent } from './room-content';
import { roomScene } from './room-scene';
import type { RoomView } from './room-views';
import type { StagePlan } from './scene';
import type { OpenedRoom, SceneItem } from './scene-types';

const LARGEST = { width: 620, height: 460 };
const MARGIN = 10;
const CLOSE = 22;

const TURNS = [
  { id: 'before', text: '‹', by: -1 },
  { id: 'next', text: '›', by: 1 },
] as const;

/**
 * The arrows to the previous and the next rank: in the stage's margins, at the middle of the room's left and right
 * edge.
 */
const turnRect = (room: Rect, by: number): Rect => ({
  x: by < 0 ? room.x - CLOSE / 2 + 2 : room.x + room.width - CLOSE / 2 - 2,
  y: room.y + room.height / 2 - CLOSE / 2,
  width: CLOSE,
  height: CLOSE,
});

export interface LargeRoom {
  look(plan: StagePlan, facts: StageFacts, device: number): OpenedRoom | undefined;
}

/** The rectangle of the opened room, in the middle of the stage. */
export function largeRect({ width, height }: { readonly width: number; readonly height: number }): Rect {
  const size = {
    width: Math.min(LARGEST.width, width - 2 * MARGIN),
    height: Math.min(LARGEST.height, height - 2 * MARGIN),
  };
  return {
    x: Math.round((width - size.width) / 2),
    y: Math.round((height - size.height) / 2),
    ...size,
  };
}

export function createLargeRoom(): LargeRoom {
  let drawings = createDrawings();
  let contents = new Map<RoomView, RoomContent>();
  let laidOut: { readonly plan: StagePlan; readonly device: number } | undefined;
  return {
    look(plan, facts, device) {
      const place = plan.devices[device];
      if (!place) return undefined;
      if (laidOut?.plan !== plan || laidOut.device !== device) {
        laidOut = { plan, device };
        contents = new Map();
        drawings = createDrawings();
      }
      const rect = largeRect(plan.layout);
      const view = facts.view(device);
      const [first] = plan.buckets;
      const wire = facts.wire(device) ?? (first && facts.step?.exchanges.ofBucket(first.index));
      const known = contents.get(view);
      const stays = known && (known.wire === undefined || known.wire.exchange === wire);
      const content = stays
        ? known
        : contentOf({ rect, place, view, step: facts.step, wire, buckets: plan.buckets.length });
      contents.set(view, content);
      const { info, buckets, tiledValues } = plan;
      const scale = memoryScale(plan.devices.map((d) => facts.memory(d.device)));
      const input = { info, place, rect, content, buckets, facts, tiledValues, memoryScale: scale };
      const { scene, items } = roomScene(input, drawings.of(input));
      const close = { x: rect.x + rect.width - CLOSE / 2 - 2, y: rect.y - CLOSE / 2 + 2, width: CLOSE, height: CLOSE };
      const count = plan.devices.length;
      const turns = count < 2 ? [] : TURNS.map((turn) => ({ ...turn, rect: turnRect(rect, turn.by) }));
      const turnItems = turns.map(({ id, by, rect: at }) => {
        const to = (device + by + count) % count;
        return turnItem({ id, rect: at, device }, { device: to, title: plan.devices[to]?.title ?? '' });
      });
      return {
        room: scene,
        close,
        turns,
        items: [wholeItem(device, rect, place.title), ...items, ...turnItems, closeItem(device, close)],
      };
    },
  };
}

/** The room itself as an item, so that a press on its background leaves it open. */
const wholeItem = (device: number, rect: Rect, title: string): SceneItem => ({
  id: `${device} opened`,
  rect,
  device,
  event: undefined,
  opensRoom: device,
  tip: () => ({ title, facts: [['press ×, Esc or outside it', 'closes the large room']] }),
});

/** Keeps its id from rank to rank, so that the keyboard focus stays on it. */
const turnItem = (
  { id, rect, device }: { readonly id: string; readonly rect: Rect; readonly device: number },
  to: { readonly device: number; readonly title: string },
): SceneItem => ({
  id: `opened ${id}`,
  rect,
  device,
  event: undefined,
  opensRoom: to.device,
  tip: () => ({ title: to.title, facts: [['press', 'shows that room large']] }),
});

const closeItem = (device: number, rect: Rect): SceneItem => ({
  id: `${device} close`,
  rect,
  device,
  event: undefined,
  closesRoom: true,
  tip: () => ({ title: 'Close', facts: [['shows', 'all rooms again']] }),
});
