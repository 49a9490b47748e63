/**
 * Paints the scene: rooms, over them the moment's arrows and packets, then marks for the hovered and the pinned item.
 * Called at most once per frame, by stage.tsx.
 */
import { blend } from '../draw/blend';
import { grow, pointAlong } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { box, line } from '../draw/shapes';
import { drawText } from '../draw/text';
import { rankColour } from './paint-card';
import { paintRoom } from './paint-room';
import type { ApartScene, ArrowScene, OpenedRoom, PacketScene, SceneItem, StageScene } from './scene-types';

const BEND = 8;
const HEAD = 5;

function arrow(ink: Ink, { path, from }: ArrowScene): void {
  const { context } = ink;
  const colour = rankColour(ink, from);
  line(context, path, { colour, width: 2, radius: BEND });
  const { x, y, dx, dy } = pointAlong(path, 1);
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - 1.5 * HEAD * dx - HEAD * dy, y - 1.5 * HEAD * dy + HEAD * dx);
  context.lineTo(x - 1.5 * HEAD * dx + HEAD * dy, y - 1.5 * HEAD * dy - HEAD * dx);
  context.closePath();
  context.fill();
}

function label(ink: Ink, { label: own }: ArrowScene): void {
  if (!own) return;
  drawText(ink, own.text, own, { size: 11.5, colour: ink.palette.ink, align: 'center' });
}

/** The share of the sender's hue in a packet's background, on which cells near zero, nearly white, stay visible. */
const TINT = 0.3;

function parcel(ink: Ink, packet: PacketScene): void {
  const { context, palette } = ink;
  const hue = rankColour(ink, packet.from);
  const ground = blend(palette.card, hue, TINT);
  box(context, packet.rect, { fill: ground, stroke: hue, lineWidth: 2, radius: 5 });
  if (packet.cells) ink.heat(context, packet.cells, packet.cellsAt, ground);
  else {
    // The packet's values are beyond the captured part of the buffer.
    const { x, y, width, height } = packet.rect;
    const at = { x: x + width / 2, y: y + height / 2 + 2 };
    drawText(ink, '…', at, { size: 11, colour: palette.soft, align: 'center' });
  }
}

/** Frames an item: in the accent colour if hovered, in the ink's colour if pinned. */
function mark(ink: Ink, item: SceneItem, colour: string): void {
  box(ink.context, grow(item.rect, 3), { stroke: colour, lineWidth: 1.5, radius: 5 });
}

export interface Marks {
  readonly hovered: readonly SceneItem[];
  readonly pinned: readonly SceneItem[];
}

function apart(ink: Ink, { text, rect, equal }: ApartScene): void {
  const colour = equal ? ink.palette.soft : ink.palette.accent;
  const at = { x: rect.x + rect.width / 2, y: rect.y + rect.height - 4 };
  drawText(ink, text, at, { size: 11.5, weight: equal ? 400 : 600, colour, align: 'center' });
}

/** Covers the other rooms, which stay faintly visible. */
const VEIL = 0.82;

function openedRoom(ink: Ink, { width, height }: StageScene, { room, close, turns }: OpenedRoom): void {
  const { context, palette } = ink;
  context.save();
  context.globalAlpha = VEIL;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  context.restore();
  paintRoom(ink, room);
  for (const { rect, text } of [...turns, { rect: close, text: '×' }]) {
    box(context, rect, { fill: palette.card, stroke: palette.line, radius: rect.width / 2 });
    const at = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 + 5 };
    drawText(ink, text, at, { size: 16, colour: palette.ink, align: 'center' });
  }
}

export function paintStage(ink: Ink, scene: StageScene, marks: Marks): void {
  for (const group of scene.groups)
    box(ink.context, group, { stroke: ink.palette.soft, lineWidth: 1.2, radius: 10, dash: [6, 4] });
  for (const room of scene.rooms) paintRoom(ink, room);
  for (const own of scene.apart) apart(ink, own);
  for (const own of scene.arrows) arrow(ink, own);
  for (const own of scene.arrows) label(ink, own);
  for (const packet of scene.packets) parcel(ink, packet);
  if (scene.opened) openedRoom(ink, scene, scene.opened);
  for (const item of marks.pinned) mark(ink, item, ink.palette.ink);
  for (const item of marks.hovered) mark(ink, item, ink.palette.accent);
}
