/**
 * Paints the timeline: backgrounds, idle stretches (dotted), kernels, communication (striped while computation hides
 * it, else solid), the marks over them, the cursor, and the head over all. Decides nothing.
 */
import { centre, type Rect } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { phaseColour } from '../draw/phase-colour';
import { box } from '../draw/shapes';
import { drawText } from '../draw/text';
import { type FrameShown, type Overview, paintLanes } from '../lanes/paint-frame';
import { LOWEST_WITH_TEXT, paintGround, paintLabel, paintPlate, SMALL } from '../lanes/paint-lane';
import type { LaneParts } from './lane-parts';
import { paintMarks, type TimelineMarks } from './paint-marks';
import type { CommScene, RowScene, RunScene, TimelineScene } from './timeline-scene';

function kernels(ink: Ink, scene: RunScene): void {
  const { palette, context } = ink;
  const { fill } = palette.phase[phaseColour(scene.run.of.phase, true)];
  for (const piece of scene.pieces) {
    box(context, piece.rect, { fill, radius: piece.rect.width > 6 ? 3 : 0.5 });
    paintLabel(ink, piece.labels, piece.rect, palette.ink);
  }
  paintLabel(ink, scene.labels, scene.rect, palette.ink);
}

/** Paints the number of a round in its middle, if it fits in full. */
function number(ink: Ink, labels: readonly string[], rect: Rect, ground: string | undefined): void {
  const text = labels.find((one) => ink.measure(one, SMALL) <= rect.width - 5);
  if (text === undefined) return;
  const { x, y } = centre(rect);
  const width = ink.measure(text, SMALL) + 4;
  if (ground)
    box(ink.context, { x: x - width / 2, y: rect.y + 1, width, height: rect.height - 2 }, { fill: ground, radius: 2 });
  drawText(ink, text, { x, y: y + 4 }, { ...SMALL, colour: ink.palette.ink, align: 'center' });
}

/** Moves of batches, parameters and outputs have the hue of their content, paler than a bucket. */
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
      if (isOpen(piece.rect)) paintLabel(ink, piece.labels, piece.rect, palette.ink);
      else paintPlate(ink, piece.labels, piece.rect, ground);
    }
    return;
  }
  const open = widest(scene.exposed);
  const behind = widest(scene.hidden);
  if (behind && behind.width > (open?.width ?? 0)) paintPlate(ink, scene.labels, behind, ground);
  else if (open) paintLabel(ink, scene.labels, open, palette.ink);
}

const ground = (ink: Ink, { row, name, detail, gaps, waits }: RowScene): void =>
  paintGround(ink, {
    rank: row.device,
    title: name,
    detail,
    name: row.name,
    ground: row.ground,
    idle: [...gaps, ...waits],
  });

/** The content of the small picture for each device: kernels above communication. */
function overviewOf({ palette }: Ink, { devices, totalUs }: LaneParts): Overview {
  return {
    totalUs,
    rows: devices.map(({ compute, comm }) => [
      ...compute.map(({ startUs, endUs, of }) => {
        return { startUs, endUs, fill: palette.phase[phaseColour(of.phase, true)].fill, share: 1 };
      }),
      ...comm.map(({ startUs, endUs }) => ({ startUs, endUs, fill: palette.phase.comm.edge, share: 0.5 })),
    ]),
    names: ['whole step', 'step'],
  };
}

export interface TimelineShown extends Omit<FrameShown, 'overview'> {
  readonly parts: LaneParts;
}

export function paintTimeline(
  ink: Ink,
  scene: TimelineScene,
  marks: TimelineMarks,
  shown: TimelineShown | undefined,
): void {
  const { rows } = scene;
  paintLanes(ink, scene, shown && { ...shown, overview: overviewOf(ink, shown.parts) }, {
    ground() {
      for (const row of rows) ground(ink, row);
    },
    spans() {
      for (const row of rows) {
        for (const run of row.compute) kernels(ink, run);
        for (const run of row.comm) communication(ink, run, marks.moment);
      }
    },
    marks: () => paintMarks(ink, scene, marks),
  });
}
