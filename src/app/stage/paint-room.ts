/**
 * Paints one room of the scene: card, title, what the device does now, layers with their gradients, chunk tiles, memory
 * bar. Decides nothing; every rectangle and word comes from the scene.
 */
import { bottom, grow, type Rect, right } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { phaseColour } from '../draw/phase-colour';
import { box, line } from '../draw/shapes';
import { drawText, firstFit, type TextStyle } from '../draw/text';
import type { LayerScene, MatrixScene, RoomScene, StripScene, TileScene } from './scene-types';

const TITLE: TextStyle = { size: 13.5, weight: 600 };
const SMALL: TextStyle = { size: 11 };
const GRADIENT_WORDS = ['gradient', 'grad'];
const IDLE_ALPHA = 0.45;
/** What a rank held that has ended is gone: its room is a shadow, crossed out. */
const ENDED_ALPHA = 0.12;

const rankColour = (ink: Ink, device: number): string =>
  ink.palette.ranks[device % ink.palette.ranks.length] ?? ink.palette.ink;

function matrix(ink: Ink, m: MatrixScene): void {
  const { palette, context } = ink;
  if (!m.cells) {
    box(context, grow(m.rect, 0.5), { stroke: palette.hair, fill: palette.track, radius: 1 });
    return;
  }
  ink.heat(context, m.cells, m.rect, palette.card);
  if (m.fresh) box(context, grow(m.rect, 1.5), { stroke: palette.soft, lineWidth: 1, radius: 2 });
}

function layer(ink: Ink, scene: LayerScene): void {
  const { palette, context, measure } = ink;
  const active = scene.active && palette.phase[phaseColour(scene.active, true)].edge;
  const label = firstFit(scene.labels, scene.labelAt.width, SMALL, measure);
  drawText(
    ink,
    label,
    { x: scene.labelAt.x, y: bottom(scene.labelAt) - 5 },
    {
      ...SMALL,
      colour: scene.active ? palette.ink : palette.soft,
      weight: scene.active ? 600 : 400,
    },
  );
  if (active)
    box(
      context,
      { x: scene.labelAt.x, y: bottom(scene.labelAt) - 3, width: scene.labelAt.width, height: 1.5 },
      { fill: active },
    );
  if (scene.gradientLabelAt) {
    const text = firstFit(GRADIENT_WORDS, scene.gradientLabelAt.width, SMALL, measure);
    drawText(
      ink,
      text,
      { x: scene.gradientLabelAt.x, y: bottom(scene.gradientLabelAt) - 5 },
      {
        ...SMALL,
        colour: palette.soft,
      },
    );
  }
  for (const m of scene.matrices) matrix(ink, m);
  if (scene.note) {
    const text = firstFit(scene.note.texts, scene.note.at.width + 8, SMALL, measure);
    drawText(ink, text, { x: scene.note.at.x, y: bottom(scene.note.at) - 2 }, { ...SMALL, colour: palette.soft });
  }
}

function strip(ink: Ink, scene: StripScene): void {
  const { palette, measure } = ink;
  const { labelAt, matrix: m } = scene;
  const text = firstFit(scene.labels, labelAt.width, SMALL, measure);
  const colour = m.fresh ? palette.ink : palette.soft;
  drawText(ink, text, { x: labelAt.x, y: bottom(labelAt) - 5 }, { ...SMALL, colour, weight: m.fresh ? 600 : 400 });
  matrix(ink, m);
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
  } else if (t.summed > 0) {
    const middle = { x: t.rect.x + t.rect.width / 2, y: t.rect.y + t.rect.height / 2 + 2 };
    drawText(ink, '…', { x: middle.x, y: middle.y }, { ...SMALL, colour: palette.soft, align: 'center' });
  }
  const text = firstFit(t.caption, t.rect.width + 2, SMALL, measure);
  drawText(
    ink,
    text,
    { x: t.rect.x + t.rect.width / 2, y: bottom(t.rect) + 12 },
    {
      ...SMALL,
      colour: t.sending || t.fresh ? palette.ink : palette.soft,
      align: 'center',
    },
  );
}

function memory(ink: Ink, { memory: m }: RoomScene): void {
  const { palette, context, measure } = ink;
  box(context, m.bar, { fill: palette.track, radius: 3 });
  for (const s of m.segments) box(context, s.rect, { fill: palette.memory[s.category], radius: 1.5 });
  box(context, { x: m.peakX - 0.75, y: m.bar.y - 3, width: 1.5, height: m.bar.height + 6 }, { fill: palette.soft });
  if (m.labelAt.width === 0) return;
  const text = firstFit(m.labels, m.labelAt.width, SMALL, measure);
  drawText(
    ink,
    text,
    { x: right(m.labelAt), y: bottom(m.labelAt) - 4 },
    {
      ...SMALL,
      colour: palette.soft,
      align: 'right',
    },
  );
}

const PILL = 18;
const SWATCH = 11;

/**
 * A pill at the right of the title: the device's work at the cursor. Communication has a swatch, a second channel
 * beside hue.
 */
function nowPill(ink: Ink, room: RoomScene): void {
  const { palette, context, measure } = ink;
  const colours = room.phase && palette.phase[phaseColour(room.phase, room.activity === 'computing')];
  const swatch = room.activity === 'communicating' ? SWATCH + 4 : 0;
  const free = room.header.width - measure(room.title, TITLE) - 9 - 14 - swatch;
  const text = firstFit(room.now, Math.max(0, free), SMALL, measure);
  if (text === '') return;
  const width = measure(text, SMALL) + 14 + swatch;
  const rect: Rect = { x: right(room.header) - width, y: room.header.y + 1, width, height: PILL };
  const radius = PILL / 2;
  if (room.activity === 'computing' && colours) box(context, rect, { fill: colours.fill, radius });
  else if (room.activity === 'communicating' && colours) {
    box(context, rect, { fill: palette.card, stroke: colours.edge, radius });
    box(context, { x: rect.x + 6, y: rect.y + 4, width: SWATCH, height: PILL - 8 }, { fill: colours.fill, radius: 2 });
  } else if (room.activity === 'late' || room.activity === 'ended')
    box(context, rect, { fill: palette.card, stroke: palette.accent, lineWidth: 1.5, radius });
  else {
    const dashed = room.activity === 'idle' || room.activity === 'waiting';
    box(context, rect, { stroke: dashed ? palette.soft : palette.line, radius, dash: dashed ? [3, 3] : [] });
  }
  const busy = room.activity !== 'idle' && room.activity !== 'done' && room.activity !== 'ahead';
  drawText(
    ink,
    text,
    { x: rect.x + 7 + swatch, y: rect.y + 13 },
    {
      ...SMALL,
      colour: busy ? palette.ink : palette.soft,
    },
  );
}

const DOT = 5;
const MOST_DOTS = 9;

/** Dots at the right of the subtitle: which page of the layers this is. Gives the width that they take. */
function pager(ink: Ink, { page, header }: RoomScene): number {
  if (!page) return 0;
  const { palette, context, measure } = ink;
  const y = header.y + 26;
  if (page.count > MOST_DOTS) {
    const text = `${page.index + 1} / ${page.count}`;
    drawText(ink, text, { x: right(header), y: y + 4 }, { ...SMALL, colour: palette.soft, align: 'right' });
    return measure(text, SMALL) + 8;
  }
  const width = page.count * (DOT + 3);
  for (let i = 0; i < page.count; i++) {
    const rect = { x: right(header) - width + i * (DOT + 3) + 3, y: y - DOT / 2, width: DOT, height: DOT };
    box(context, rect, { fill: i === page.index ? palette.ink : palette.line, radius: DOT / 2 });
  }
  return width + 8;
}

function crossOut(ink: Ink, { rect, header }: RoomScene): void {
  const { palette, context } = ink;
  const top = bottom(header) + 6;
  const low = bottom(rect) - 14;
  const [left, end] = [rect.x + 14, right(rect) - 14];
  const style = { colour: palette.soft, width: 1.5, alpha: 0.7 };
  line(
    context,
    [
      { x: left, y: top },
      { x: end, y: low },
    ],
    style,
  );
  line(
    context,
    [
      { x: end, y: top },
      { x: left, y: low },
    ],
    style,
  );
}

export function paintRoom(ink: Ink, room: RoomScene): void {
  const { palette, context, measure } = ink;
  const ended = room.activity === 'ended';
  const idle = room.activity === 'idle' || room.activity === 'waiting';
  const colour = ended ? palette.line : rankColour(ink, room.device);
  const hatch = { pattern: 'waiting', ground: palette.paper, ink: palette.line, pitch: 8, width: 1.4 } as const;
  const ground = idle ? ink.hatch(hatch) : ended ? palette.track : palette.card;
  const late = room.activity === 'late';
  box(context, room.rect, {
    fill: ground,
    stroke: late ? palette.accent : ended ? palette.soft : palette.line,
    lineWidth: late ? 2 : 1,
    radius: 12,
    dash: ended ? [6, 5] : [],
  });
  context.save();
  if (ended) context.globalAlpha = ENDED_ALPHA;
  else if (idle) context.globalAlpha = IDLE_ALPHA;
  box(context, { x: room.rect.x, y: room.header.y + 2, width: 3.5, height: 28 }, { fill: colour });
  drawText(ink, room.title, { x: room.header.x, y: room.header.y + 14 }, { ...TITLE, colour: palette.ink });
  const subtitle = firstFit(room.subtitles, room.header.width - pager(ink, room), SMALL, measure);
  drawText(ink, subtitle, { x: room.header.x, y: room.header.y + 30 }, { ...SMALL, colour: palette.soft });
  for (const l of room.layers) layer(ink, l);
  for (const s of room.strip) strip(ink, s);
  if (room.bucket) {
    const { labelAt, labels, tiles } = room.bucket;
    const label = firstFit(labels, labelAt.width, SMALL, measure);
    drawText(ink, label, { x: labelAt.x, y: bottom(labelAt) - 5 }, { ...SMALL, colour: palette.soft });
    for (const t of tiles) tile(ink, t, colour);
  }
  memory(ink, room);
  context.restore();
  if (ended) crossOut(ink, room);
  nowPill(ink, room);
}
