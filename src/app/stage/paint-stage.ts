/**
 * Paints the scene: roads under rooms, packets over all, then the marks of what is hovered and pinned. Called once a
 * frame at most, by stage.tsx.
 */
import { grow, pathUntil } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { arrowHead, box, line } from '../draw/shapes';
import { drawText } from '../draw/text';
import { paintRoom } from './paint-room';
import type { PacketScene, SceneItem, StageScene } from './scene-types';

const ROAD = 5;
/** With more roads than that in the street they are drawn thin. */
const CROWD = 4;
const BEND = 10;

function road(ink: Ink, scene: StageScene): void {
  const { context, palette } = ink;
  const shared = scene.routes.filter(({ path }) => path.length > 2).length;
  const width = shared > CROWD ? 2 : scene.layout.compact ? 3 : ROAD;
  for (const { path } of scene.routes) {
    line(context, path, { colour: palette.line, width, alpha: 0.8, radius: BEND });
  }
  for (const { path } of scene.routes) arrowHead(context, path, 0.5, 5, palette.soft);
}

function trail(ink: Ink, packet: PacketScene): void {
  const { context, palette } = ink;
  line(context, pathUntil(packet.route, packet.progress), {
    colour: palette.payload[packet.payload],
    width: 2.5,
    alpha: 0.55,
    radius: BEND,
  });
}

function parcel(ink: Ink, packet: PacketScene): void {
  const { context, palette } = ink;
  box(context, packet.rect, { fill: palette.card, stroke: palette.payload[packet.payload], lineWidth: 1.8, radius: 6 });
  if (packet.cells) ink.heat(context, packet.cells, packet.cellsAt, palette.card);
  else {
    // What it carries lies too far into its buffer to have been captured.
    const { x, y, width, height } = packet.rect;
    drawText(
      ink,
      '…',
      { x: x + width / 2, y: y + height / 2 + 2 },
      {
        size: 11,
        colour: palette.soft,
        align: 'center',
      },
    );
  }
  if (packet.label) {
    const { text, x, y, align } = packet.label;
    drawText(ink, text, { x, y }, { size: 11, colour: palette.soft, align });
  }
}

/** A frame around an item: accent for the pointer's, ink for the pinned one. */
function mark(ink: Ink, item: SceneItem, colour: string): void {
  box(ink.context, grow(item.rect, 3), { stroke: colour, lineWidth: 1.5, radius: 5 });
}

export interface Marks {
  readonly hovered: readonly SceneItem[];
  readonly pinned: readonly SceneItem[];
}

export function paintStage(ink: Ink, scene: StageScene, marks: Marks): void {
  road(ink, scene);
  for (const packet of scene.packets) trail(ink, packet);
  for (const room of scene.rooms) paintRoom(ink, room);
  for (const packet of scene.packets) parcel(ink, packet);
  for (const item of marks.pinned) mark(ink, item, ink.palette.ink);
  for (const item of marks.hovered) mark(ink, item, ink.palette.accent);
}
