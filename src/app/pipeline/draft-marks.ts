/**
 * The editor's marks over the picture: the place of the next cell in each row, and the place where a dragged cell would
 * land. Pure except for the drawing.
 */
import { centre, type Point, type Rect } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { box, line } from '../draw/shapes';
import { drawText } from '../draw/text';
import { cellBox, type PictureScene } from './paint-picture';
import type { PictureCell } from './picture';
import type { PictureItem } from './picture-items';
import { scaleOf, stretchIn } from './picture-layout';

export interface Drop {
  readonly cell: PictureCell;
  /** The pointer's position. */
  readonly at: Point;
  /** The cell's new index in its row. */
  readonly index: number;
  /** The time at which the insertion mark is drawn, in units. */
  readonly time: number;
  /** The rank whose row the cell is held over, if that is another rank, where it cannot go. */
  readonly otherRank: number | undefined;
}

/** The cell is inserted before the cells whose middle is right of the pointer. */
export function dropAt({ picture, layout, view }: PictureScene, item: PictureItem, to: Point): Drop | undefined {
  if (item.kind !== 'cell') return undefined;
  const scale = scaleOf(layout, picture, view);
  const { cell } = item;
  const cells = picture.rows[cell.rank]?.cells ?? [];
  const others = cells.filter(({ index }) => index !== cell.index);
  const before = others.filter(({ start, end }) => scale((start + end) / 2) < to.x);
  const rank = layout.rows.findIndex(({ name }) => to.y >= name.y && to.y < name.y + name.height + 4);
  return {
    cell,
    at: to,
    index: new Set(before.map(({ index }) => index)).size,
    time: before.at(-1)?.end ?? others[0]?.start ?? 0,
    otherRank: rank >= 0 && rank !== cell.rank ? rank : undefined,
  };
}

const NARROWEST = 9;

export function paintDraft(ink: Ink, scene: PictureScene, drop: Drop | undefined): void {
  const { context, palette } = ink;
  const { picture, layout, view } = scene;
  const scale = scaleOf(layout, picture, view);
  for (const { rank, cells } of picture.rows) {
    const lane = layout.rows[rank]?.cells;
    const start = cells.at(-1)?.end ?? 0;
    const rect = lane && stretchIn(layout, lane, scale, { start, end: start + 1 });
    if (!rect || rect.width < NARROWEST) continue;
    box(context, inside(rect), { fill: palette.paper, stroke: palette.soft, radius: 3, dash: [3, 3] });
    const middle = centre(rect);
    drawText(ink, '+', { x: middle.x, y: middle.y + 4 }, { size: 13, colour: palette.soft, align: 'center' });
  }
  const lane = drop && layout.rows[drop.cell.rank]?.cells;
  if (!drop || !lane) return;
  if (drop.otherRank === undefined) {
    const x = scale(drop.time);
    line(
      context,
      [
        { x, y: lane.y - 4 },
        { x, y: lane.y + lane.height + 4 },
      ],
      { colour: palette.accent, width: 3 },
    );
  }
  const width = Math.max(20, scale(drop.cell.end) - scale(drop.cell.start));
  const held = { x: drop.at.x - width / 2, y: drop.at.y - lane.height / 2, width, height: lane.height };
  context.save();
  context.globalAlpha = 0.9;
  cellBox(ink, scene, held, drop.cell.action, { wrong: drop.otherRank !== undefined });
  context.restore();
}

const inside = (rect: Rect): Rect => ({ x: rect.x + 2, y: rect.y + 2, width: rect.width - 4, height: rect.height - 4 });
