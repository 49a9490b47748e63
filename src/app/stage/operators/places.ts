/** Divides the area of an operator's picture: captions, rows, columns, grids of tiles. Pure. */
import { bottom, type Rect, right } from '../../draw/geometry';

/** The height of a line of words. */
export const LINE = 15;

export interface CaptionedRect {
  readonly caption: Rect;
  readonly body: Rect;
}

/** Splits off a line of words above; the line has no height if `shown` is false. */
export function captioned(area: Rect, shown = true): CaptionedRect {
  const height = shown ? LINE : 0;
  return {
    caption: { ...area, height },
    body: { ...area, y: area.y + height, height: Math.max(0, area.height - height) },
  };
}

/** Splits off a line of words below. */
export function footed(area: Rect, shown = true): { readonly foot: Rect; readonly body: Rect } {
  const height = shown ? LINE + 2 : 0;
  const body = { ...area, height: Math.max(0, area.height - height) };
  return { foot: { ...area, y: bottom(body), height }, body };
}

/** Columns with these shares of the width. */
export function columns(area: Rect, shares: readonly number[], gap: number): readonly Rect[] {
  const total = shares.reduce((a, b) => a + b, 0);
  const free = area.width - gap * (shares.length - 1);
  let x = area.x;
  return shares.map((share) => {
    const at = { ...area, x, width: Math.max(0, (free * share) / total) };
    x = right(at) + gap;
    return at;
  });
}

/** Rows with these shares of the height. */
export function rows(area: Rect, shares: readonly number[], gap: number): readonly Rect[] {
  const total = shares.reduce((a, b) => a + b, 0);
  const free = area.height - gap * (shares.length - 1);
  let y = area.y;
  return shares.map((share) => {
    const at = { ...area, y, height: Math.max(0, (free * share) / total) };
    y = bottom(at) + gap;
    return at;
  });
}

/** Columns in a wide area, else rows. */
export const divided = (area: Rect, shares: readonly number[], gap: number): readonly Rect[] =>
  area.width >= area.height ? columns(area, shares, gap) : rows(area, shares, gap);

export interface TileGrid {
  readonly tiles: readonly Rect[];
  /** The size of one element in pixels of the screen. */
  readonly cell: number;
}

/** Tiles are left out only if the others grow by this factor: if the height limits them, they would not grow. */
const GAINED = 1.25;

/**
 * Places `count` tiles in reading order, as large as the area allows; fewer tiles if elements would be smaller than
 * `smallest` pixels and fewer tiles would be larger.
 */
export function tileGrid(
  area: Rect,
  count: number,
  tile: { readonly rows: number; readonly columns: number },
  { gap = 4, smallest = 1.5, largest = 24 }: { gap?: number; smallest?: number; largest?: number } = {},
): TileGrid {
  let kept: { readonly shown: number; readonly cell: number; readonly across: number } | undefined;
  for (let shown = count; shown > 0; shown = Math.floor(shown / 2)) {
    let best = { cell: 0, across: 1 };
    for (let across = 1; across <= shown; across++) {
      const down = Math.ceil(shown / across);
      const cell = Math.min(
        (area.width - gap * (across - 1)) / (across * tile.columns),
        (area.height - gap * (down - 1)) / (down * tile.rows),
        largest,
      );
      if (cell > best.cell + 1e-9) best = { cell, across };
    }
    if (!kept || best.cell > GAINED * kept.cell) kept = { shown, ...best };
    if (kept.cell >= smallest) break;
  }
  return kept && kept.cell > 0 ? placed(area, kept.shown, tile, { gap, ...kept }) : { tiles: [], cell: 0 };
}

/** Centres the tiles in the area. */
function placed(
  area: Rect,
  count: number,
  tile: { readonly rows: number; readonly columns: number },
  { gap, cell, across }: { readonly gap: number; readonly cell: number; readonly across: number },
): TileGrid {
  const down = Math.ceil(count / across);
  const [width, height] = [cell * tile.columns, cell * tile.rows];
  const x = area.x + Math.max(0, (area.width - across * width - gap * (across - 1)) / 2);
  const y = area.y + Math.max(0, (area.height - down * height - gap * (down - 1)) / 2);
  const tiles = Array.from({ length: count }, (_, i) => ({
    x: x + (i % across) * (width + gap),
    y: y + Math.floor(i / across) * (height + gap),
    width,
    height,
  }));
  return { tiles, cell };
}
