/**
 * Paints the timeline: grounds, idle stretches (dotted), kernels, communication (striped where computation hides it,
 * solid where it does not), the marks over them, the cursor, and the head over all. Decides nothing.
 */
import { bottom, centre, type Rect } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { phaseColour } from '../draw/phase-colour';
import type { Interval } from '../draw/scales';
import { box, line } from '../draw/shapes';
import { drawText, firstFit, type TextStyle } from '../draw/text';
import type { LaneParts } from './lane-parts';
import { paintGrid, paintHead } from './paint-head';
import { paintMarks, type TimelineMarks } from './paint-marks';
import type { CommScene, RowScene, RunScene, TimelineScene } from './timeline-scene';
import type { ViewWindow } from './view-window';

const SMALL: TextStyle = { size: 11 };
const NAME: TextStyle = { size: 12 };
const LOWEST_NAME = 24;
const TEXT_INSET = 5;
const TWO_LINES = 34;
const LOWEST_WITH_TEXT = 11;

function label(ink: Ink, labels: readonly string[], rect: Rect, colour: string): void {
  if (rect.width < 12 || rect.height < LOWEST_WITH_TEXT) return;
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

/** Words on a patterned ground have a plain one behind them. */
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

/** The number of a round in its middle, in full or not at all. */
function number(ink: Ink, labels: readonly string[], rect: Rect, ground: string | undefined): void {
  const text = labels.find((one) => ink.measure(one, SMALL) <= rect.width - 5);
  if (text === undefined) return;
  const { x, y } = centre(rect);
  const width = ink.measure(text, SMALL) + 4;
  if (ground)
    box(ink.context, { x: x - width / 2, y: rect.y + 1, width, height: rect.height - 2 }, { fill: ground, radius: 2 });
  drawText(ink, text, { x, y: y + 4 }, { ...SMALL, colour: ink.palette.ink, align: 'center' });
}

/** Moves of batches, parameters and outputs have the hue of what they carry, paler than a bucket. */
const MOVED_ALPHA = 0.45;

const widest = (rects: readonly Rect[]): Rect | undefined => [...rects].sort((a, b) => b.width - a.width)[0];

function communication(ink: Ink, scene: CommScene, moment: ReadonlySet<number>): void {
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
  for (const { rect } of scene.rounds.length > 0 ? scene.rounds : scene.pieces) {
    if (rect.width > 5)
      box(context, { x: rect.x, y: rect.y, width: 0.75, height: rect.height }, { fill: palette.card });
  }
  if (scene.rect.height < LOWEST_WITH_TEXT) return;
  const isOpen = (rect: Rect) =>
    scene.exposed.some((r) => r.x <= rect.x + 1 && r.x + r.width >= rect.x + rect.width - 2);
  if (scene.rounds.length > 0) {
    // The number of the current round is on a plate.
    for (const { rect, labels, events } of scene.rounds)
      if (!events.some((event) => moment.has(event))) number(ink, labels, rect, isOpen(rect) ? undefined : ground);
    return;
  }
  if (scene.labels.length === 0) {
    for (const piece of scene.pieces) {
      if (isOpen(piece.rect)) label(ink, piece.labels, piece.rect, palette.ink);
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
      ...(at.name.height < LOWEST_NAME ? SMALL : NAME),
      colour: palette.ink,
    },
  );
  if (two) drawText(ink, scene.detail, { x, y: at.name.y + 29 }, { ...SMALL, colour: palette.soft });
  box(context, at.ground, { fill: palette.track, radius: 4 });
  const idle = ink.hatch({ pattern: 'waiting', ground: palette.track, ink: palette.soft, pitch: 4, width: 1.1 });
  for (const gap of [...scene.gaps, ...scene.waits]) if (gap.width > 2) box(context, gap, { fill: idle, radius: 2 });
}

function cursor(ink: Ink, { cursorX, layout }: TimelineScene): void {
  if (cursorX === undefined) return;
  const { context, palette } = ink;
  line(
    context,
    [
      { x: cursorX, y: bottom(layout.axis) - 4 },
      { x: cursorX, y: layout.height - 2 },
    ],
    { colour: palette.accent, width: 1.5 },
  );
}

function band({ context, palette }: Ink, { layout }: TimelineScene, { from, to }: Interval): void {
  const x = Math.max(layout.left, Math.min(from, to));
  const rect = { x, y: layout.axis.y, width: Math.min(layout.right, Math.max(from, to)) - x, height: layout.height };
  context.save();
  context.globalAlpha = 0.18;
  box(context, rect, { fill: palette.accent });
  context.restore();
}

export interface TimelineShown {
  readonly parts: LaneParts;
  readonly view: ViewWindow;
  /** By how much the lanes are scrolled. */
  readonly top: number;
  /** The stretch that is being drawn along the axis. */
  readonly band: Interval | undefined;
}

export function paintTimeline(
  ink: Ink,
  scene: TimelineScene,
  marks: TimelineMarks,
  shown: TimelineShown | undefined,
): void {
  for (const row of scene.rows) ground(ink, row);
  paintGrid(ink, scene);
  for (const row of scene.rows) {
    for (const run of row.compute) kernels(ink, run);
    for (const run of row.comm) communication(ink, run, marks.moment);
  }
  paintMarks(ink, scene, marks);
  cursor(ink, scene);
  if (shown?.band) band(ink, scene, shown.band);
  if (shown) paintHead(ink, scene, shown);
}
