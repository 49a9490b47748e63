/**
 * Lays out a flat buffer as one band that fills the place: its stretches in order, from left to right or from top to
 * bottom, each as a block of cells in reading order. If a stretch is too long for the place, only its first elements
 * are shown. Pure; called by bucket.ts.
 */
import type { Rect } from '../../draw/geometry';

export interface StretchPlace {
  readonly rect: Rect;
  /** The number of elements shown, from the stretch's first on. */
  readonly shown: number;
  readonly rows: number;
  readonly columns: number;
}

export interface Band {
  readonly places: readonly StretchPlace[];
  /** The positions along the band where one stretch ends and the next begins. */
  readonly borders: readonly number[];
}

/** If cells would be smaller than this, the longest stretches show fewer elements. */
const LEGIBLE = 3.6;
const GAP = 3;

interface Cells {
  /** The number of elements across the band. */
  readonly across: number;
  /** The size of one cell along the band and across it. */
  readonly along: number;
  readonly thick: number;
}

const columnsOf = (shown: readonly number[], across: number): number =>
  shown.reduce((sum, n) => sum + Math.ceil(n / across), 0);

/** Chooses the number of elements across the band that makes the cells nearly square. */
function cellsFor(shown: readonly number[], length: number, thickness: number): Cells {
  const free = Math.max(1, length - GAP * (shown.length - 1));
  let best: Cells = { across: 1, along: 0, thick: 0 };
  for (let across = 1; across <= Math.max(1, thickness / 2); across++) {
    const made = { across, along: free / columnsOf(shown, across), thick: thickness / across };
    if (Math.min(made.along, made.thick) > Math.min(best.along, best.thick)) best = made;
  }
  return best;
}

/** `stands`: the band runs from top to bottom, else from left to right. */
export function bandOf(area: Rect, lengths: readonly number[], stands: boolean): Band {
  const [length, thickness] = stands ? [area.height, area.width] : [area.width, area.height];
  let most = Math.max(...lengths);
  let shown = lengths;
  let cells = cellsFor(shown, length, thickness);
  while (Math.min(cells.along, cells.thick) < LEGIBLE && most > 1) {
    most = Math.floor(most * 0.8);
    shown = lengths.map((n) => Math.min(n, most));
    cells = cellsFor(shown, length, thickness);
  }
  const { across, along, thick } = cells;
  let at = stands ? area.y : area.x;
  const places = shown.map((count): StretchPlace => {
    const lines = Math.ceil(count / across);
    const start = at;
    at += lines * along + GAP;
    // A stretch shorter than one line is only as thick as its elements.
    const wide = Math.min(count, across);
    return stands
      ? {
          rect: { x: area.x, y: start, width: wide * thick, height: lines * along },
          shown: count,
          rows: lines,
          columns: wide,
        }
      : {
          rect: { x: start, y: area.y, width: lines * along, height: wide * thick },
          shown: count,
          rows: wide,
          columns: lines,
        };
  });
  const borders = places.slice(1).map(({ rect }) => (stands ? rect.y : rect.x) - GAP / 2);
  return { places, borders };
}
