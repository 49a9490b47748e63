/**
 * Paints one room of the scene: card, title, what the device does now, matrices, chunks, memory bar. Decides nothing;
 * every rectangle and word comes from the scene.
 */
import { bottom, type Rect, right } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { phaseColour } from '../draw/phase-colour';
import { box, line } from '../draw/shapes';
import { drawText, ellipsize, firstFit, type TextStyle } from '../draw/text';
import { paintCard, paintHead, rankColour, SMALL, titleStyle } from './paint-card';
import { paintChunks } from './paint-chunks';
import { paintMap } from './paint-map';
import { paintStagePart } from './paint-pipeline';
import { paintShape } from './paint-shape';
import type { RoomScene, TabsScene, WordsScene } from './scene-types';

const SIGN: TextStyle = { size: 15 };
const IDLE_ALPHA = 0.45;
/** A rank that has ended holds nothing: its room is painted faintly and crossed out. */
const ENDED_ALPHA = 0.12;

function words(ink: Ink, { at, texts, tone, align }: WordsScene): void {
  const { palette, measure } = ink;
  const text = firstFit(texts, at.width, SMALL, measure);
  const x = align === 'right' ? right(at) : align === 'center' ? at.x + at.width / 2 : at.x;
  const colour = tone === 'ink' ? palette.ink : tone === 'accent' ? palette.accent : palette.soft;
  drawText(ink, text, { x, y: bottom(at) - 5 }, { ...SMALL, colour, align });
}

function tabs(ink: Ink, { at, boxes, shown, count }: TabsScene): void {
  const { palette, context } = ink;
  drawText(ink, 'buckets', { x: at.x, y: at.y + 13 }, { ...SMALL, colour: palette.soft });
  for (const { rect, index } of boxes) {
    const own = index === shown;
    box(context, rect, { fill: own ? palette.ink : palette.card, stroke: own ? palette.ink : palette.line, radius: 4 });
    const at = { x: rect.x + rect.width / 2, y: rect.y + 13 };
    drawText(ink, String(index), at, { ...SMALL, colour: own ? palette.card : palette.soft, align: 'center' });
  }
  if (boxes.length < count) {
    const last = boxes.at(-1)?.rect ?? at;
    drawText(ink, `of ${count}`, { x: right(last) + 6, y: at.y + 13 }, { ...SMALL, colour: palette.soft });
  }
}

function memory(ink: Ink, { memory: m, memoryWords }: RoomScene): void {
  if (!m) return;
  const { palette, context, measure } = ink;
  box(context, m.bar, { fill: palette.track, radius: 3 });
  for (const s of m.segments) box(context, s.rect, { fill: palette.memory[s.category], radius: 1.5 });
  box(context, { x: m.peakX - 0.75, y: m.bar.y - 2.5, width: 1.5, height: m.bar.height + 5 }, { fill: palette.soft });
  if (!m.labelAt) return;
  const text = firstFit(memoryWords, m.labelAt.width, SMALL, measure);
  const at = { x: right(m.labelAt), y: bottom(m.labelAt) - 4 };
  drawText(ink, text, at, { ...SMALL, colour: palette.soft, align: 'right' });
}

const PILL = 18;
const SWATCH = 11;

/** The words of the pill in a 'whole' room: as many as fit beside the name. */
function pillWords({ measure }: Ink, room: RoomScene, title: TextStyle): string {
  const swatch = room.activity === 'communicating' ? SWATCH + 4 : 0;
  const free = room.frame.header.width - measure(room.title, title) - 23 - swatch;
  return firstFit(room.now, Math.max(0, free), SMALL, measure);
}

/**
 * Paints the pill at the right of the title: the device's work at the cursor. Communication also has a swatch, so that
 * hue is not the only difference. A small room has only the words, the smallest as far as they fit.
 */
function nowPill(ink: Ink, room: RoomScene, title: TextStyle): void {
  const { palette, context, measure } = ink;
  const { header, level } = room.frame;
  if (level === 'glyph') {
    const { subtitle } = room.frame;
    const { formula, now } = room;
    const said = formula === undefined ? now : [`${now[0] ?? ''}: ${formula}`, ...now];
    const fitting = (width: number) => said.find((t) => measure(t, SMALL) <= width);
    const short = fitting(subtitle ? subtitle.width : header.width - measure(room.title, title) - 8);
    if (short === undefined) return;
    if (subtitle) drawText(ink, short, { x: subtitle.x, y: subtitle.y + 10 }, { ...SMALL, colour: palette.soft });
    else
      drawText(ink, short, { x: right(header), y: header.y + 11 }, { ...SMALL, colour: palette.soft, align: 'right' });
    return;
  }
  const busy = room.activity !== 'idle' && room.activity !== 'done' && room.activity !== 'ahead';
  const colour = busy ? palette.ink : palette.soft;
  const room_ = header.width - measure(room.title, title) - 8;
  if (level === 'compact') {
    const text =
      room.now.find((t) => measure(t, SMALL) <= room_) ?? ellipsize(room.now.at(-1) ?? '', room_, SMALL, measure);
    drawText(ink, text, { x: right(header), y: header.y + 14 }, { ...SMALL, colour: palette.soft, align: 'right' });
    return;
  }
  const colours = room.phase && palette.phase[phaseColour(room.phase, room.activity === 'computing')];
  const swatch = room.activity === 'communicating' ? SWATCH + 4 : 0;
  const text = pillWords(ink, room, title);
  if (text === '') return;
  const width = measure(text, SMALL) + 14 + swatch;
  const rect: Rect = { x: right(header) - width, y: header.y + 1, width, height: PILL };
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
  drawText(ink, text, { x: rect.x + 7 + swatch, y: rect.y + 13 }, { ...SMALL, colour });
}

function crossOut(ink: Ink, { rect, frame }: RoomScene): void {
  const top = bottom(frame.header) + 6;
  const low = bottom(rect) - 14;
  const [left, end] = [rect.x + 14, right(rect) - 14];
  const style = { colour: ink.palette.soft, width: 1.5, alpha: 0.7 };
  for (const [from, to] of [
    [left, end],
    [end, left],
  ] as const)
    line(
      ink.context,
      [
        { x: from, y: top },
        { x: to, y: low },
      ],
      style,
    );
}

export function paintRoom(ink: Ink, room: RoomScene): void {
  const { palette, context } = ink;
  const ended = room.activity === 'ended';
  const idle = room.activity === 'idle' || room.activity === 'waiting';
  const colour = ended ? palette.line : rankColour(ink, room.device);
  const hatch = { pattern: 'waiting', ground: palette.paper, ink: palette.line, pitch: 8, width: 1.4 } as const;
  const late = room.activity === 'late';
  paintCard(ink, room.rect, {
    fill: idle ? ink.hatch(hatch) : ended ? palette.track : palette.card,
    stroke: late ? palette.accent : ended ? palette.soft : palette.line,
    lineWidth: late ? 2 : 1,
    dash: ended ? [6, 5] : [],
  });
  context.save();
  if (ended) context.globalAlpha = ENDED_ALPHA;
  else if (idle) context.globalAlpha = IDLE_ALPHA;
  // If the pill has room only for 'idle', the reason is written below the device's name.
  const waitsFor = room.now.slice(0, -1);
  const untold = room.activity === 'idle' && !waitsFor.includes(pillWords(ink, room, titleStyle(room.frame)));
  const subtitles = untold ? [...waitsFor, ...room.subtitles] : room.subtitles;
  paintHead(ink, { ...room, subtitles }, colour);
  for (const m of room.strip) paintMap(ink, m);
  for (const own of room.under) paintShape(ink, own);
  for (const m of room.maps) paintMap(ink, m);
  for (const own of room.over) paintShape(ink, own);
  for (const w of room.words) words(ink, w);
  for (const s of room.signs)
    drawText(ink, s.text, s, { ...(s.text.length > 2 ? SMALL : SIGN), colour: palette.ink, align: 'center' });
  if (room.focus) box(context, room.focus, { stroke: palette.accent, lineWidth: 1.6, radius: 3 });
  if (room.tabs) tabs(ink, room.tabs);
  if (room.stage) paintStagePart(ink, room.stage);
  if (room.chunks) paintChunks(ink, room.chunks, room.device);
  memory(ink, room);
  context.restore();
  if (ended) crossOut(ink, room);
  nowPill(ink, room, titleStyle(room.frame));
}
