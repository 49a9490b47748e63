/**
 * Paints a matrix of shares as a bitmap with one pixel per cell, enlarged without smoothing: for cells too many or too
 * small to be drawn one by one.
 */
import type { Rect } from '../../draw/geometry';
import type { Palette } from '../../draw/theme';
import { putShare } from './share-scale';

export interface Shares {
  readonly rows: number;
  readonly columns: number;
  readonly share: (row: number, column: number) => number;
}

export function paintShares(
  context: CanvasRenderingContext2D,
  { rows, columns, share }: Shares,
  { x, y, width, height }: Rect,
  palette: Palette,
): void {
  const image = new ImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      putShare(palette, share(row, column), image.data, row * columns + column);
  }
  const small = new OffscreenCanvas(columns, rows);
  small.getContext('2d')?.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, x, y, width, height);
}
