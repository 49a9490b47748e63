/**
 * Paints the marks over the timeline's lanes: a veil over events that the search does not find, the critical path, the
 * current moment, the selection with arrows back to its cause. Decides nothing.
 */
import { bottom, centre, grow, type Path, type Rect, right } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { arrowHead, box, line } from '../draw/shapes';
import { drawText } from '../draw/text';
import { paintChosen, paintVeil } from '../lanes/paint-lane';
import type { TimelineScene } from './timeline-scene';

/** An arrow from a span to a later one. */
export interface Arrow {
  readonly from: Rect;
  readonly to: Rect;
}

export interface TimelineMarks {
  readonly hovered: readonly Rect[];
  readonly selected: readonly Rect[];
  /** The highlighted events: matches of a search, or the critical path; undefined: no highlighting. */
  readonly lit: ReadonlySet<number> | undefined;
  readonly path: readonly Rect[];
  readonly pathArrows: readonly Arrow[];
  readonly chain: readonly Rect[];
  readonly arrows: readonly Arrow[];
  /** The events of the current moment. */
  readonly moment: ReadonlySet<number>;
}

const TEXT = 11;

function* unlit({ rows }: TimelineScene, lit: ReadonlySet<number>): Iterable<Rect> {
  for (const { compute, comm } of rows)
    for (const { pieces } of [...compute, ...comm])
      for (const { rect, event } of pieces) if (!lit.has(event)) yield rect;
}

/** Marks the current moment: messages get a plate with their round, kernels a frame. */
function moment(ink: Ink, { rows }: TimelineScene, events: ReadonlySet<number>): void {
  const { context, palette } = ink;
  const own = { stroke: palette.accent, lineWidth: 1.5, radius: 3 };
  for (const { compute, comm } of rows) {
    for (const { pieces } of compute)
      for (const { rect, event } of pieces) if (events.has(event)) box(context, rect, own);
    for (const { pieces, rounds } of comm) {
      const numbered = rounds.filter((round) => round.events.some((event) => events.has(event)));
      for (const { rect, labels } of numbered) plate(ink, rect, labels);
      if (numbered.length > 0) continue;
      for (const { rect, event } of pieces) if (events.has(event)) box(context, rect, own);
    }
  }
}

/** Paints a plate with a label; the painter of the lanes leaves this label out. */
function plate(ink: Ink, rect: Rect, labels: readonly string[]): void {
  const { context, palette } = ink;
  const widthOf = (label: string): number => ink.measure(label, { size: TEXT, weight: 700 }) + 6;
  box(context, rect, { stroke: palette.accent, lineWidth: 1.5, radius: 3 });
  const text = labels.find((label) => widthOf(label) <= rect.width);
  if (text === undefined || rect.height < TEXT) return;
  const wanted = widthOf(text);
  box(context, { ...rect, x: centre(rect).x - wanted / 2, width: wanted }, { fill: palette.accent, radius: 3 });
  drawText(
    ink,
    text,
    { x: centre(rect).x, y: centre(rect).y + 4 },
    { size: TEXT, weight: 700, colour: palette.onAccent, align: 'center' },
  );
}

/** The way of an arrow from the end of one span to the beginning of the next, around the lanes between. */
function way({ from, to }: Arrow): Path {
  const down = to.y >= from.y;
  const start = { x: Math.max(from.x + 1, right(from) - 3), y: down ? bottom(from) : from.y };
  const end = { x: Math.max(to.x + 2, Math.min(start.x, right(to) - 2)), y: down ? to.y : bottom(to) };
  if (Math.abs(end.y - start.y) < 1)
    return [
      { x: right(from), y: centre(from).y },
      { x: to.x, y: centre(to).y },
    ];
  if (Math.abs(end.x - start.x) < 2) return [start, end];
  const middle = (start.y + end.y) / 2;
  return [start, { x: start.x, y: middle }, { x: end.x, y: middle }, end];
}

function arrow(ink: Ink, one: Arrow, colour: string, width: number): void {
  const path = way(one);
  line(ink.context, path, { colour, width: width + 2.5, alpha: 0.25, radius: 4 });
  line(ink.context, path, { colour, width, radius: 4 });
  arrowHead(ink.context, path, 1, 6, colour);
}

/** Called by paint-timeline.ts, which clips the marks to the lanes. */
export function paintMarks(ink: Ink, scene: TimelineScene, marks: TimelineMarks): void {
  const { context, palette } = ink;
  if (marks.lit) paintVeil(ink, unlit(scene, marks.lit));
  moment(ink, scene, marks.moment);
  for (const one of marks.pathArrows)
    line(context, way(one), { colour: palette.ink, width: 1.25, alpha: 0.8, radius: 4 });
  for (const rect of marks.path) {
    const under = { x: rect.x, y: bottom(rect) - 2, width: Math.max(1, rect.width), height: 2 };
    box(context, under, { fill: palette.ink });
  }
  for (const rect of marks.chain) box(context, grow(rect, 1), { stroke: palette.accent, lineWidth: 1.5, radius: 3 });
  for (const one of marks.arrows) arrow(ink, one, palette.accent, 1.5);
  paintChosen(ink, { selected: marks.selected, pointed: marks.hovered });
}
