/**
 * Paints one room of the scene: card, title, what the device does now, layers with their gradients, chunk tiles, memory bar. Decides
 * nothing; every rectangle and word comes from the scene.
 */

import type { Phase } from '../../protocol/trace';
import { bottom, grow, type Rect, right } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { box } from '../draw/shapes';
import { drawText, ellipsize, firstFit, type TextStyle } from '../draw/text';
import type { PhaseColour } from '../theme';
import type { LayerScene, MatrixScene, RoomScene, TileScene } from './scene-types';

const TITLE: TextStyle = { size: 13.5, weight: 600 };
const SMALL: TextStyle = { size: 11 };
const GRADIENT_WORDS = ['gradient', 'grad'];
const IDLE_ALPHA = 0.45;

export const phaseColour = (phase: Phase): PhaseColour => {
  switch (phase) {
    case 'forward':
      return 'forward';
    case 'loss':
      return 'loss';
    case 'backward':
      return 'backward';
    case 'reduce':
      return 'comm';
    case 'step':
      return 'step';
    default:
      return 'move';
  }
};

const rankColour = (ink: Ink, device: number): string =>
  ink.palette.ranks[device % ink.palette.ranks.length] ?? ink.palette.ink;

function matrix(ink: Ink, m: MatrixScene): void {
  const { palette, context } = ink;
  if (!m.cells) {
    box(context, grow(m.rect, 0.5), { stroke: palette.hair, fill: palette.track, radius: 1 });
    return;
  }
  ink.heat(context, m.cells, m.rect, palette.card);
  if (m.fresh) box(context, grow(m.rect, 2), { stroke: palette.ink, lineWidth: 1, radius: 2 });
}

function layer(ink: Ink, scene: LayerScene): void {
  const { palette, context, measure } = ink;
  const active = scene.active && palette.phase[phaseColour(scene.active)].edge;
  const label = firstFit(scene.labels, scene.labelAt.width, SMALL, measure);
  drawText(context, palette, label, scene.labelAt.x, bottom(scene.labelAt) - 5, {
    ...SMALL,
    colour: scene.active ? palette.ink : palette.soft,
    weight: scene.active ? 600 : 400,
  });
  if (active)
    box(
      context,
      { x: scene.labelAt.x, y: bottom(scene.labelAt) - 3, width: scene.labelAt.width, height: 1.5 },
      { fill: active },
    );
  if (scene.gradientLabelAt) {
    const text = firstFit(GRADIENT_WORDS, scene.gradientLabelAt.width, SMALL, measure);
    drawText(context, palette, text, scene.gradientLabelAt.x, bottom(scene.gradientLabelAt) - 5, {
      ...SMALL,
      colour: palette.soft,
    });
  }
  for (const m of scene.matrices) matrix(ink, m);
  if (scene.note) {
    const text = ellipsize(scene.note.text, scene.note.at.width + 10, { size: 11 }, measure);
    drawText(context, palette, text, scene.note.at.x, bottom(scene.note.at) - 2, { size: 11, colour: palette.soft });
  }
}

function tile(ink: Ink, t: TileScene, colour: string): void {
  const { palette, context, measure } = ink;
  const style = t.sending
    ? { fill: palette.card, stroke: colour, lineWidth: 2, radius: 5 }
    : {
        fill: palette.dark ? palette.track : palette.paper,
        stroke: t.fresh ? palette.ink : palette.line,
        lineWidth: 1,
        radius: 5,
      };
  box(context, t.rect, style);
  if (t.cells) {
    const inset = grow(t.rect, t.rect.width < 34 ? -3.5 : -5);
    ink.heat(context, t.cells, inset, t.sending ? palette.card : palette.dark ? palette.track : palette.paper);
  }
  const text = firstFit(t.caption, t.rect.width + 4, SMALL, measure);
  drawText(context, palette, text, t.rect.x + t.rect.width / 2, bottom(t.rect) + 12, {
    ...SMALL,
    colour: t.sending || t.fresh ? palette.ink : palette.soft,
    align: 'center',
  });
}

function memory(ink: Ink, { memory: m }: RoomScene): void {
  const { palette, context, measure } = ink;
  box(context, m.bar, { fill: palette.track, radius: 3 });
  for (const s of m.segments) box(context, s.rect, { fill: palette.memory[s.category], radius: 1.5 });
  box(context, { x: m.peakX - 0.75, y: m.bar.y - 3, width: 1.5, height: m.bar.height + 6 }, { fill: palette.soft });
  const text = firstFit(m.labels, m.labelAt.width, SMALL, measure);
  drawText(context, palette, text, m.labelAt.x, bottom(m.labelAt) - 2, { ...SMALL, colour: palette.soft });
}

/** A pill at the right of the title: the device's work at the cursor. */
function nowPill(ink: Ink, room: RoomScene): number {
  const { palette, context, measure } = ink;
  const room4 = room.header.width - measure(room.title, TITLE) - 16;
  const text = firstFit(room.now, Math.max(0, room4 - 14), SMALL, measure);
  if (text === '') return 0;
  const width = measure(text, SMALL) + 14;
  const rect: Rect = { x: right(room.header) - width, y: room.header.y + 1, width, height: 18 };
  const colours = room.phase ? palette.phase[phaseColour(room.phase)] : undefined;
  if (room.activity === 'computing' && colours) box(context, rect, { fill: colours.fill, radius: 9 });
  else if (room.activity === 'communicating' && colours) {
    box(context, rect, {
      fill: ink.hatch({ ground: palette.card, ink: colours.fill, pitch: 5, width: 1.6 }),
      stroke: colours.edge,
      radius: 9,
    });
  } else box(context, rect, { stroke: palette.line, radius: 9, dash: room.activity === 'idle' ? [3, 3] : [] });
  const quiet = room.activity === 'idle' || room.activity === 'ahead' || room.activity === 'done';
  drawText(context, palette, text, rect.x + 7, rect.y + 13, { ...SMALL, colour: quiet ? palette.soft : palette.ink });
  return width;
}

export function paintRoom(ink: Ink, room: RoomScene): void {
  const { palette, context, measure } = ink;
  const idle = room.activity === 'idle';
  const colour = rankColour(ink, room.device);
  const ground = idle ? ink.hatch({ ground: palette.paper, ink: palette.track, pitch: 8, width: 2 }) : palette.card;
  box(context, room.rect, { fill: ground, stroke: palette.line, radius: 12 });
  context.save();
  if (idle) context.globalAlpha = IDLE_ALPHA;
  box(context, { x: room.rect.x, y: room.header.y + 2, width: 3.5, height: 28 }, { fill: colour });
  drawText(context, palette, room.title, room.header.x, room.header.y + 14, { ...TITLE, colour: palette.ink });
  const subtitle = firstFit(room.subtitles, room.header.width, SMALL, measure);
  drawText(context, palette, subtitle, room.header.x, room.header.y + 30, { ...SMALL, colour: palette.soft });
  for (const l of room.layers) layer(ink, l);
  if (room.bucket) {
    const { labelAt, labels, tiles } = room.bucket;
    const label = firstFit(labels, labelAt.width, SMALL, measure);
    drawText(context, palette, label, labelAt.x, bottom(labelAt) - 5, { ...SMALL, colour: palette.soft });
    for (const t of tiles) tile(ink, t, colour);
  }
  memory(ink, room);
  context.restore();
  nowPill(ink, room);
}
