/**
 * Paints a confusion matrix: cells coloured by their share of the target's row, numbers if they fit, names on both
 * sides, the share of right predictions beside each row.
 */
import { formatPercent } from '../../draw/format';
import type { Palette } from '../../draw/theme';
import type { CanvasCell } from '../cells/cell-canvas';
import { paintShares } from '../cells/paint-shares';
import { shareColour, textOnShare } from '../cells/share-scale';
import type { ConfusionNumbers } from './confusion-numbers';
import { cellRect, type MatrixLayout } from './matrix-layout';

export interface ConfusionPaint {
  readonly layout: MatrixLayout;
  readonly numbers: ConfusionNumbers;
  readonly names: readonly string[];
  readonly unit: 'counts' | 'shares';
  readonly cell: CanvasCell | undefined;
  readonly palette: Palette;
}

const fontOf = (palette: Palette, size: number, weight = 400) => `${weight} ${size}px ${palette.sans}`;

/** Cuts a name to the width. */
function cut(context: CanvasRenderingContext2D, name: string, width: number): string {
  if (context.measureText(name).width <= width) return name;
  let kept = name;
  while (kept.length > 1 && context.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return `${kept}…`;
}

export function paintConfusion(context: CanvasRenderingContext2D, paint: ConfusionPaint): void {
  const { layout, numbers, palette } = paint;
  const { classes } = numbers;
  context.textBaseline = 'middle';
  if (layout.gap === 0) {
    const side = layout.cell * classes;
    const rect = { x: layout.left, y: layout.top, width: side, height: side };
    paintShares(context, { rows: classes, columns: classes, share: numbers.share }, rect, palette);
  } else {
    for (let row = 0; row < classes; row++) {
      for (let column = 0; column < classes; column++) paintCell(context, paint, row, column);
    }
  }
  paintNames(context, paint);
  if (layout.shareLeft > 0) paintRight(context, paint);
  outline(context, paint);
}

function paintCell(context: CanvasRenderingContext2D, paint: ConfusionPaint, row: number, column: number): void {
  const { layout, numbers, unit, palette } = paint;
  const { x, y, width, height } = cellRect(layout, row, column);
  const share = numbers.share(row, column);
  context.fillStyle = shareColour(palette, share);
  context.fillRect(x, y, width, height);
  const count = numbers.count(row, column);
  if (!layout.numbers || count === 0) return;
  const text = unit === 'counts' ? String(count) : String(Math.round(100 * share));
  context.font = fontOf(palette, text.length > 3 ? 9 : 11, row === column ? 600 : 400);
  context.textAlign = 'center';
  context.fillStyle = textOnShare(palette, share);
  context.fillText(text, x + width / 2, y + height / 2 + 0.5);
}

/** Draws text that reads upwards from a point. */
function uprightText(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  context.save();
  context.translate(x, y);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'left';
  context.fillText(text, 0, 0);
  context.restore();
}

function paintNames(
  context: CanvasRenderingContext2D,
  { layout, numbers, names, cell, palette }: ConfusionPaint,
): void {
  const { left, top, cell: side, rowNamedEvery, columnNamedEvery, upright } = layout;
  const nameOf = (i: number) => names[i] ?? String(i);
  context.font = fontOf(palette, 11);
  context.fillStyle = palette.soft;
  context.textAlign = 'left';
  context.fillText('taken for', left, 8);
  context.save();
  context.translate(6, top);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'right';
  context.fillText('target', 0, 0);
  context.restore();
  if (layout.shareLeft > 0) {
    context.textAlign = 'right';
    context.fillText('right', layout.width, top - 10);
  }
  const ink = (looked: boolean) => {
    context.fillStyle = looked ? palette.ink : palette.soft;
  };
  context.textAlign = 'right';
  for (let row = 0; row < numbers.classes; row += rowNamedEvery) {
    ink(cell?.row === row);
    context.fillText(cut(context, nameOf(row), left - 18), left - 6, top + (row + 0.5) * side);
  }
  for (let column = 0; column < numbers.classes; column += columnNamedEvery) {
    ink(cell?.column === column);
    const middle = left + (column + 0.5) * side;
    if (upright) uprightText(context, cut(context, nameOf(column), left - 18), middle, top - 6);
    else {
      context.textAlign = 'center';
      context.fillText(nameOf(column), middle, top - 10);
    }
  }
}

function paintRight(context: CanvasRenderingContext2D, { layout, numbers, palette }: ConfusionPaint): void {
  context.textAlign = 'right';
  context.fillStyle = palette.ink;
  context.font = fontOf(palette, 11);
  for (let row = 0; row < numbers.classes; row++) {
    if (numbers.total(row) === 0) continue;
    const y = layout.top + (row + 0.5) * layout.cell;
    context.fillText(formatPercent(numbers.share(row, row)), layout.width, y);
  }
}

function outline(context: CanvasRenderingContext2D, { layout, cell, palette }: ConfusionPaint): void {
  if (!cell) return;
  const { x, y, width, height } = cellRect(layout, cell.row, cell.column);
  context.strokeStyle = palette.ink;
  context.lineWidth = 2;
  context.strokeRect(x, y, width, height);
}
