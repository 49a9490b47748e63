/**
 * The layout of the pipeline picture: rows, the axis, cells and gaps as rectangles. Pure; used by the painter, and by
 * pointer and keyboard to find items.
 */
import { clamp, type Rect } from '../draw/geometry';
import { linearScale, ticks } from '../draw/scales';
import type { ViewWindow } from '../lanes/view-window';
import type { Picture } from './picture';

export interface RowLayout {
  readonly name: Rect;
  /** The rectangle of the row's cells. */
  readonly cells: Rect;
  /** The rectangle below the cells for the band of kept activations. */
  readonly band: Rect;
}

export interface PictureLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly axis: Rect;
  readonly rows: readonly RowLayout[];
}

const AXIS = 20;
const BOTTOM = 4;
/**
 * The least height of a row with its band, whose name has two lines. Four rows fit below the stage on a projector (1280
 * x 720).
 */
const LEAST_ROW = 28;
const MOST_ROW = 54;

/** `height`: the panel's height. Rows shrink with it to LEAST_ROW; then the panel scrolls. */
export function layoutPicture(width: number, rows: number, height: number | undefined): PictureLayout {
  const narrow = width < 560;
  const left = narrow ? 58 : 100;
  const right = Math.max(left + 10, width - 34);
  const row = clamp(((height ?? 0) - AXIS - BOTTOM) / Math.max(1, rows), LEAST_ROW, MOST_ROW);
  const band = row >= 46 ? 11 : 8;
  const inside = right - left;
  return {
    width,
    height: Math.ceil(AXIS + rows * row + BOTTOM),
    left,
    right,
    axis: { x: left, y: 0, width: inside, height: AXIS },
    rows: Array.from({ length: rows }, (_, index) => {
      const y = AXIS + index * row;
      const cells = { x: left, y, width: inside, height: row - band - 6 };
      return {
        name: { x: narrow ? 8 : 20, y, width: left - (narrow ? 8 : 20) - 6, height: row - 4 },
        cells,
        band: { x: left, y: y + cells.height + 1, width: inside, height: band },
      };
    }),
  };
}

const timesIn = ({ from, to }: Picture, view: ViewWindow) => ({
  from: from + view.from * (to - from),
  to: from + view.to * (to - from),
});

/** From the picture's clock to pixels. */
export const scaleOf = (layout: PictureLayout, picture: Picture, view: ViewWindow): ((time: number) => number) =>
  linearScale(timesIn(picture, view), { from: layout.left, to: layout.right });

/** The rectangle of a stretch of a row; undefined if it is out of view. */
export function stretchIn(
  layout: PictureLayout,
  lane: Rect,
  scale: (time: number) => number,
  { start, end }: { readonly start: number; readonly end: number },
): Rect | undefined {
  const x = Math.max(layout.left, scale(start));
  const right = Math.min(layout.right, scale(end));
  return right > x ? { x, y: lane.y, width: right - x, height: lane.height } : undefined;
}

export function ticksOf(layout: PictureLayout, picture: Picture, view: ViewWindow): readonly number[] {
  const count = Math.max(2, Math.floor((layout.right - layout.left) / 90));
  return picture.to > picture.from ? ticks(timesIn(picture, view), count) : [];
}
