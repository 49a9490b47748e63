/**
 * Paints the timeline: grounds, idle stretches (dotted), kernels, communication (striped where computation hides it,
 * solid where it does not), the axis, the marks of what is hovered and pinned, and the cursor over all. Decides
 * nothing.
 */
import { bottom, grow, type Rect } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { phaseColour } from '../draw/phase-colour';
import { box, line } from '../draw/shapes';
import { drawText, firstFit, type TextStyle } from '../draw/text';
import type { CommScene, RowScene, RunScene, TimelineScene } from './timeline-scene';

const SMALL: TextStyle = { size: 11 };
const NAME: TextStyle = { size: 12 };
const TEXT_INSET = 5;
const TWO_LINES = 34;

function label(ink: Ink, labels: readonly string[], rect: Rect, colour: string): void {
  if (rect.width < 12) return;
  const text = firstFit(labels, rect.width - TEXT_INSET - 2, SMALL, ink.measure);
  drawText(ink, text, { x: rect.x + TEXT_INSET, y: rect.y + rect.height / 2 + 4 }, { ...SMALL, colour });
}

function kernels(ink: Ink, scene: RunScene): void {
  const { palette, context } = ink;
  const { fill } = palette.phase[phaseColour(scene.run.of.phase, true)];
  for (const piece of scene.pieces) {
    box(context, piece.rect, { fill, radius: piece.rect.width > 6 ? 3 : 0.5 });
    label(ink, piece.labels, piece.rect, palette.ink);
  }
  label(ink, scene.labels, scene.rect, palette.ink);
}

/** Words on a patterned ground stand on a plain one. */
function plate(ink: Ink, labels: readonly string[], rect: Rect, ground: string): void {
  const text = firstFit(labels, rect.width - 2 * TEXT_INSET, SMALL, ink.measure);
  if (text === '') return;
  const width = ink.measure(text, SMALL) + 6;
  box(
    ink.context,
    { x: rect.x + TEXT_INSET - 3, y: rect.y + 1, width, height: rect.height - 2 },
    { fill: ground, radius: 2 },
  );
  label(ink, [text], { ...rect, width: rect.width + TEXT_INSET }, ink.palette.ink);
}

const LOWEST_WITH_TEXT = 11;
/** Moves of batches, parameters and outputs have the hue of what they carry, paler than a bucket. */
const MOVED_ALPHA = 0.45;

const widest = (rects: readonly Rect[]): Rect | undefined => [...rects].sort((a, b) => b.width - a.width)[0];

function communication(ink: Ink, scene: CommScene): void {
  const { palette, context } = ink;
  const { bucket, payload } = scene.run.of;
  const colour = payload && bucket === undefined ? palette.payload[payload] : palette.phase.comm.edge;
  const ground = bucket === undefined ? palette.track : palette.phase.backward.fill;
  const hatched = ink.hatch({ pattern: 'hidden', ground, ink: colour, pitch: 5 });
  for (const rect of scene.hidden) box(context, rect, { fill: hatched, radius: 2 });
  context.save();
  if (bucket === undefined) context.globalAlpha = MOVED_ALPHA;
  const solid = bucket === undefined ? colour : palette.phase.comm.fill;
  for (const rect of scene.exposed) box(context, rect, { fill: solid, radius: 2 });
  context.restore();
  for (const { rect } of scene.pieces) {
    if (rect.width > 5)
      box(context, { x: rect.x, y: rect.y, width: 0.75, height: rect.height }, { fill: palette.card });
  }
  if (scene.rect.height < LOWEST_WITH_TEXT) return;
  if (scene.labels.length === 0) {
    for (const piece of scene.pieces) {
      const open = scene.exposed.some(
        (r) => r.x <= piece.rect.x + 1 && r.x + r.width >= piece.rect.x + piece.rect.width - 2,
      );
      if (open) label(ink, piece.labels, piece.rect, palette.ink);
      else plate(ink, piece.labels, piece.rect, ground);
    }
    return;
  }
  const open = widest(scene.exposed);
  const behind = widest(scene.hidden);
  if (behind && behind.width > (open?.width ?? 0)) plate(ink, scene.labels, behind, ground);
  else if (open) label(ink, scene.labels, open, palette.ink);
}

function ground(ink: Ink, scene: RowScene): void {
  const { palette, context } = ink;
  const { row: at } = scene;
  const colour = palette.ranks[at.device % palette.ranks.length] ?? palette.ink;
  const two = at.name.height >= TWO_LINES && scene.detail !== '';
  const x = at.name.x + 11;
  box(context, { x: at.name.x, y: at.name.y + 2, width: 3.5, height: at.name.height - 4 }, { fill: colour });
  drawText(
    ink,
    scene.name,
    { x, y: two ? at.name.y + 15 : at.name.y + at.name.height / 2 + 4 },
    {
      ...NAME,
      colour: palette.ink,
    },
  );
  if (two) drawText(ink, scene.detail, { x, y: at.name.y + 29 }, { ...SMALL, colour: palette.soft });
  box(context, at.ground, { fill: palette.track, radius: 4 });
  const idle = ink.hatch({ pattern: 'waiting', ground: palette.track, ink: palette.soft, pitch: 4, width: 1.1 });
  for (const gap of scene.gaps) if (gap.width > 2) box(context, gap, { fill: idle, radius: 2 });
}

function axis(ink: Ink, { ticks, layout, rows }: TimelineScene): void {
  const { palette, context } = ink;
  const last = rows.at(-1);
  const low = last ? bottom(last.row.ground) : layout.height;
  for (const { x, text } of ticks) {
    line(
      context,
      [
        { x, y: layout.axis.height - 4 },
        { x, y: low },
      ],
      { colour: palette.line, width: 1, alpha: 0.55 },
    );
    const align = x > layout.right - 30 ? 'right' : x < layout.left + 20 ? 'left' : 'center';
    drawText(ink, text, { x, y: 11 }, { ...SMALL, colour: palette.soft, align });
  }
}

function cursor(ink: Ink, { cursorX, layout }: TimelineScene): void {
  if (cursorX === undefined) return;
  const { context, palette } = ink;
  const top = layout.axis.height - 5;
  line(
    context,
    [
      { x: cursorX, y: top },
      { x: cursorX, y: layout.height - 2 },
    ],
    { colour: palette.accent, width: 1.5 },
  );
  context.beginPath();
  context.arc(cursorX, top, 4.5, 0, 2 * Math.PI);
  context.fillStyle = palette.accent;
  context.fill();
}

export interface TimelineMarks {
  readonly hovered: readonly Rect[];
  readonly pinned: readonly Rect[];
}

export function paintTimeline(ink: Ink, scene: TimelineScene, marks: TimelineMarks): void {
  const { palette, context } = ink;
  for (const row of scene.rows) ground(ink, row);
  axis(ink, scene);
  for (const row of scene.rows) {
    for (const run of row.compute) kernels(ink, run);
    for (const run of row.comm) communication(ink, run);
  }
  for (const rect of marks.pinned) box(context, grow(rect, 2), { stroke: palette.ink, lineWidth: 1.5, radius: 4 });
  for (const rect of marks.hovered) box(context, grow(rect, 2), { stroke: palette.accent, lineWidth: 1.5, radius: 4 });
  cursor(ink, scene);
}
