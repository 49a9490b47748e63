/**
 * Paints the marks over a recording: a veil over blocks that a search does not find, the parts of a collective with a
 * line from rank to rank, the hovered item and the selection. Decides nothing.
 */
import { bottom, grow, type Rect, right } from '../../draw/geometry';
import type { Ink } from '../../draw/ink';
import { box, line } from '../../draw/shapes';
import { drawText } from '../../draw/text';
import { paintChosen, paintVeil, SMALL } from '../../lanes/paint-lane';
import type { RecordedScene } from './recorded-scene-types';

/** A collective's parts on all its ranks. */
export interface Linked {
  readonly parts: readonly Rect[];
  /** The part that joins last, with words; undefined if none does. */
  readonly last: { readonly rect: Rect; readonly text: string } | undefined;
}

export interface RecordedMarks {
  readonly pointed: Rect | undefined;
  readonly selected: Rect | undefined;
  readonly linked: Linked | undefined;
  /** The places of the matches, including matches nested in drawn blocks. */
  readonly found: readonly Rect[];
  /** Whether a block matches the search; undefined: no search. */
  readonly lit: ((rank: number, lane: number, span: number) => boolean) | undefined;
}

function* unlit({ rows }: RecordedScene, lit: NonNullable<RecordedMarks['lit']>): Iterable<Rect> {
  for (const { tracks } of rows)
    for (const { blocks, collectives } of tracks)
      for (const { rect, at } of [...blocks, ...collectives]) if (!at || !lit(at.rank, at.lane, at.span)) yield rect;
}

/** Draws lines between the ends of consecutive ranks' parts, and a line through all ranks where the last one joined. */
function link(ink: Ink, { parts, last }: Linked): void {
  const { context, palette } = ink;
  for (const rect of parts) box(context, grow(rect, 1), { stroke: palette.accent, lineWidth: 1.5, radius: 3 });
  parts.forEach((rect, i) => {
    const next = parts[i + 1];
    if (!next) return;
    const ends = [
      { x: right(rect), y: bottom(rect) + 1 },
      { x: right(next), y: next.y - 1 },
    ];
    line(context, ends, { colour: palette.accent, width: 1, alpha: 0.6 });
  });
  const [top, end] = [parts[0], parts.at(-1)];
  if (!last || !top || !end) return;
  const { x } = last.rect;
  const down = [
    { x, y: top.y - 2 },
    { x, y: bottom(end) + 2 },
  ];
  line(context, down, { colour: palette.accent, width: 1.25, dash: [3, 3] });
  const width = ink.measure(last.text, { ...SMALL, weight: 600 }) + 12;
  const height = 17;
  const left = Math.max(4, last.rect.x - width / 2);
  const plate = { x: left, y: last.rect.y - height - 4, width, height };
  line(
    context,
    [
      { x: last.rect.x, y: last.rect.y - 5 },
      { x: last.rect.x, y: bottom(last.rect) + 1 },
    ],
    { colour: palette.accent, width: 2.5 },
  );
  box(context, plate, { fill: palette.accent, radius: 4 });
  drawText(ink, last.text, { x: plate.x + 6, y: plate.y + 12.5 }, { ...SMALL, weight: 600, colour: palette.onAccent });
}

/** Called by paint-recorded.ts, which clips the marks to the lanes. */
export function paintRecordedMarks(ink: Ink, scene: RecordedScene, marks: RecordedMarks): void {
  const { context, palette } = ink;
  if (marks.lit) paintVeil(ink, unlit(scene, marks.lit));
  for (const rect of marks.found)
    box(
      context,
      { ...rect, y: bottom(rect) - 3, width: Math.max(1.5, rect.width), height: 3 },
      { fill: palette.accent },
    );
  if (marks.linked) link(ink, marks.linked);
  paintChosen(ink, { selected: marks.selected ? [marks.selected] : [], pointed: marks.pointed ? [marks.pointed] : [] });
}
