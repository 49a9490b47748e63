/**
 * Draws a rank's part of a tensor at its place within the whole tensor: the part as cells, the rest as an outline.
 * Computes how much larger the whole is than the part, and where the part's pieces are in it. Pure; called by the
 * layout of products and by room-scene.
 */
import type { PartCut } from '../../trace/tensor-parts';
import type { Rect } from '../draw/geometry';
import type { MatrixWindow } from './matrix-window';

export interface CutFrame {
  /** The direction of the cut in the drawn matrix, after transposing. */
  readonly along: 'rows' | 'columns';
  /** Indices within the whole tensor. */
  readonly whole: number;
  readonly own: number;
  readonly ranges: PartCut['part']['ranges'][number];
}

/** undefined if the drawn matrix is not cut by rows or columns. */
export function cutFrame(cut: PartCut | undefined, transposed: boolean): CutFrame | undefined {
  if (cut?.dim === undefined) return undefined;
  const { dim, part } = cut;
  const rank = part.shape.length;
  if (rank > 3 || (rank === 3 && dim === 0)) return undefined;
  const ranges = part.ranges[dim] ?? [];
  const own = ranges.reduce((n, { length }) => n + length, 0);
  const isColumn = rank > 1 && dim === rank - 1;
  return { along: isColumn === transposed ? 'rows' : 'columns', whole: part.shape[dim] ?? own, own, ranges };
}

/** How many times wider, and higher, the whole is than the part. */
export function wholeScale(frame: CutFrame | undefined): { readonly x: number; readonly y: number } {
  const by = frame ? frame.whole / Math.max(1, frame.own) : 1;
  return frame?.along === 'columns' ? { x: by, y: 1 } : { x: 1, y: by };
}

export interface FramedPiece {
  readonly rect: Rect;
  readonly window: MatrixWindow;
  /** Index of the first element shown. */
  readonly offset: number;
}

/**
 * The part's pieces at their places in the rectangle of the whole, with the cells of each piece that the window shows.
 */
export function piecesIn(
  { along, whole, own, ranges }: CutFrame,
  at: Rect,
  window: MatrixWindow,
): readonly FramedPiece[] {
  const shown = along === 'rows' ? window.rows : window.columns;
  let before = 0;
  return ranges.flatMap(({ start, length }): readonly FramedPiece[] => {
    const first = before;
    before += length;
    const cells = ranges.length === 1 ? shown : Math.min(length, Math.max(1, Math.round((shown * length) / own)));
    if (along === 'rows') {
      const rect = { ...at, y: at.y + (at.height * start) / whole, height: (at.height * length) / whole };
      return [{ rect, window: { ...window, rows: cells }, offset: first * window.stride }];
    }
    const rect = { ...at, x: at.x + (at.width * start) / whole, width: (at.width * length) / whole };
    return [{ rect, window: { ...window, columns: cells }, offset: first * (window.step ?? 1) }];
  });
}
