/**
 * Paints a recording: the steps as ruled bands, computation, collectives (dotted while they wait for the last rank,
 * striped while computation hides them, else solid), idle stretches with the part of the program that contains them,
 * then the marks, and the head over all. Decides nothing.
 */
import { bottom, type Rect } from '../../draw/geometry';
import type { Ink } from '../../draw/ink';
import { box, line } from '../../draw/shapes';
import { drawText } from '../../draw/text';
import { type FrameShown, paintLanes } from '../../lanes/paint-frame';
import { paintGround, paintLabel, paintPlate, SMALL } from '../../lanes/paint-lane';
import { paintRecordedMarks, type RecordedMarks } from './paint-recorded-marks';
import type { CollectiveScene, RankScene, RecordedScene, SpanAt, TrackScene } from './recorded-scene-types';
import { type LaneTone, shortName, TONE_WORDS, toneAt } from './tones';

export interface RecordedShown extends FrameShown {
  /** The texts of a block, longest first. */
  readonly labelsOf: (at: SpanAt) => readonly string[];
}

const OWN_LABEL = 34;
/** If one block is this wide, blocks have their own labels. */
const READABLE = 74;

export function toneFill({ palette }: Ink, tone: LaneTone): string {
  const { phase } = palette;
  switch (tone) {
    case 'forward':
    case 'compute':
      return phase.forward.fill;
    case 'loss':
    case 'backward':
    case 'step':
      return phase[tone].fill;
    case 'communication':
      return phase.comm.fill;
    case 'loader':
      return palette.line;
    default:
      return phase.move.fill;
  }
}

function compute(ink: Ink, { blocks, runs, placed }: TrackScene, labelsOf: RecordedShown['labelsOf']): void {
  const { context, palette } = ink;
  for (const { rect, tone } of blocks) {
    const inner = rect.width > 4 ? { ...rect, width: rect.width - 0.75 } : rect;
    box(context, inner, { fill: toneFill(ink, toneAt(tone)), radius: rect.width > 6 ? 3 : 0.5 });
  }
  const own = placed.kind === 'thread' || blocks.some(({ rect }) => rect.width >= READABLE);
  if (own)
    for (const { rect, at } of blocks)
      if (at && rect.width >= OWN_LABEL) paintLabel(ink, labelsOf(at), rect, palette.ink);
  if (own) return;
  for (const { rect, tone } of runs) {
    const words = TONE_WORDS[toneAt(tone)];
    if (words.length > 0) paintLabel(ink, words, rect, palette.ink);
  }
}

function communication(ink: Ink, scene: CollectiveScene, labelsOf: RecordedShown['labelsOf']): void {
  const { palette, context } = ink;
  const { phase } = palette;
  const waits = ink.hatch({
    pattern: 'waiting',
    ground: phase.backward.fill,
    ink: phase.comm.edge,
    pitch: 4,
    width: 1.1,
  });
  const stripes = ink.hatch({ pattern: 'hidden', ground: phase.backward.fill, ink: phase.comm.edge, pitch: 5 });
  if (scene.waiting) box(context, scene.waiting, { fill: waits, radius: 2 });
  for (const rect of scene.exposed) box(context, rect, { fill: phase.comm.fill, radius: 2 });
  for (const rect of scene.hidden) box(context, rect, { fill: stripes, radius: 2 });
  box(context, { x: scene.rect.x, y: scene.rect.y, width: 1, height: scene.rect.height }, { fill: phase.comm.edge });
  if (!scene.at || scene.rect.width < OWN_LABEL) return;
  const widest = [...scene.exposed].sort((a, b) => b.width - a.width)[0];
  const labels = labelsOf(scene.at);
  if (widest && widest.width > 0.7 * scene.rect.width) paintLabel(ink, labels, widest, palette.ink);
  else paintPlate(ink, labels, scene.rect, phase.backward.fill);
}

/** Paints a small flag where the last rank joins, for which all others have waited. */
function lastFlag({ context, palette }: Ink, x: number, rect: Rect, rank: number): void {
  context.beginPath();
  context.moveTo(x - 4, rect.y - 3.5);
  context.lineTo(x + 4, rect.y - 3.5);
  context.lineTo(x, rect.y + 3);
  context.closePath();
  context.fillStyle = palette.ranks[rank % palette.ranks.length] ?? palette.ink;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = palette.card;
  context.stroke();
}

/** Only collectives at least this wide have a flag, so that flags do not hide each other. */
const FLAGGED = 26;

function rankGround(ink: Ink, { row, bands, rules, gaps }: RankScene): void {
  const { context, palette } = ink;
  const { rank } = row.tracks.rank;
  // The second line of the name is a button (fold-buttons.tsx).
  paintGround(ink, { rank, title: `rank ${rank}`, detail: ' ', name: row.name, ground: row.ground, idle: [] });
  context.save();
  context.globalAlpha = 0.55;
  for (const band of bands) box(context, band, { fill: palette.hair });
  context.restore();
  const dots = ink.hatch({ pattern: 'waiting', ground: palette.track, ink: palette.soft, pitch: 4, width: 1.1 });
  for (const { rect } of gaps) box(context, rect, { fill: dots, radius: 2 });
  for (const x of rules)
    line(
      context,
      [
        { x, y: row.ground.y },
        { x, y: bottom(row.ground) },
      ],
      { colour: palette.soft, width: 1 },
    );
  for (const { text, rect } of row.threads)
    drawText(ink, text, { x: rect.x, y: bottom(rect) - 4 }, { ...SMALL, colour: palette.soft });
}

/** Names each idle stretch by the part of the program that contains it. */
function gapNames(ink: Ink, { gaps, row }: RankScene): void {
  const compute = row.placed[0]?.rect;
  if (!compute) return;
  for (const { rect, gap } of gaps) {
    const name = rect.width > 44 ? gap.inside()?.name : undefined;
    if (name !== undefined)
      paintPlate(ink, [shortName(name)], { ...compute, x: rect.x, width: rect.width }, ink.palette.track);
  }
}

function steps(ink: Ink, scene: RecordedScene): void {
  const { context, palette } = ink;
  const { steps: strip } = scene.layout;
  scene.steps.forEach(({ x, width, step }) => {
    line(
      context,
      [
        { x, y: strip.y + 3 },
        { x, y: bottom(strip) },
      ],
      { colour: palette.soft, width: 1 },
    );
    paintLabel(ink, [`step ${step}`, `${step}`], { ...strip, x, width }, palette.soft);
  });
}

function spans(ink: Ink, scene: RecordedScene, labelsOf: RecordedShown['labelsOf']): void {
  steps(ink, scene);
  for (const row of scene.rows) {
    for (const track of row.tracks) {
      compute(ink, track, labelsOf);
      for (const one of track.collectives) communication(ink, one, labelsOf);
    }
    gapNames(ink, row);
  }
  for (const { tracks, row } of scene.rows)
    for (const { collectives } of tracks)
      for (const { lastAt, rect } of collectives)
        if (lastAt !== undefined && rect.width >= FLAGGED) lastFlag(ink, lastAt, rect, row.tracks.rank.rank);
}

export function paintRecorded(ink: Ink, scene: RecordedScene, marks: RecordedMarks, shown: RecordedShown): void {
  paintLanes(ink, scene, shown, {
    ground() {
      for (const row of scene.rows) rankGround(ink, row);
    },
    spans: () => spans(ink, scene, shown.labelsOf),
    marks: () => paintRecordedMarks(ink, scene, marks),
  });
}
