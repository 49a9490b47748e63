/** Paints values as cells, with their numbers where the cells are large enough. Decides nothing. */
import { formatValue } from '../draw/canvas-numbers';
import { centre, grow, type Rect } from '../draw/geometry';
import { cellValue, type HeatCells } from '../draw/heat-map';
import type { Ink } from '../draw/ink';
import { box } from '../draw/shapes';
import { drawText } from '../draw/text';
import { inUnits, scaleValue } from '../draw/value-scale';
import type { AwaitedCells, MapScene } from './scene-types';

/** Digits have the ink's colour; on the darkest blue, and on bright colours of the dark theme, the background's. */
function digitColour({ palette }: Ink, scaled: number): string {
  if (palette.dark) return Math.abs(scaled) > 0.45 ? palette.card : palette.ink;
  return scaled > 0.8 ? palette.card : palette.ink;
}

const DIGITS = { size: 11.5, mono: true };

export function paintNumbers(
  ink: Ink,
  cells: HeatCells,
  { rect, unit, bold }: { rect: MapScene['rect']; unit: number; bold?: boolean },
): void {
  const width = rect.width / cells.columns;
  const height = rect.height / cells.rows;
  for (let row = 0; row < cells.rows; row++) {
    for (let column = 0; column < cells.columns; column++) {
      const value = cellValue(cells, row, column);
      if (value === undefined) continue;
      const colour = digitColour(ink, scaleValue(value, cells.end));
      // A single value is fitted to its cell: it has as many digits as fit, or none.
      const texts = Number.isNaN(unit)
        ? [formatValue(value), `${Number(value.toPrecision(2))}`]
        : [inUnits(value, unit)];
      const text = texts.find((own) => ink.measure(own, DIGITS) <= width + 2);
      if (text === undefined) continue;
      const at = { x: rect.x + (column + 0.5) * width, y: rect.y + (row + 0.5) * height + 4 };
      drawText(ink, text, at, { ...DIGITS, weight: bold ? 700 : 400, colour, align: 'center' });
    }
  }
}

/** Empty cells smaller than this are not drawn one by one. */
const SMALLEST_EMPTY = 4;
const WORDS = { size: 11 };
const LINE = 17;

/** Paints the cells that are not computed yet, and what they wait for. */
function paintAwaited(ink: Ink, rect: Rect, awaited: AwaitedCells | undefined): void {
  const { palette, context, measure } = ink;
  const { rows, columns, count = rows * columns, words } = awaited ?? { rows: 1, columns: 1, words: [] };
  const [width, height] = [rect.width / columns, rect.height / rows];
  if (rows * columns < 2 || Math.min(width, height) < SMALLEST_EMPTY)
    box(context, grow(rect, 0.5), { stroke: palette.hair, fill: palette.track, radius: 1 });
  else {
    for (let i = 0; i < count; i++) {
      const at = { x: rect.x + (i % columns) * width, y: rect.y + Math.floor(i / columns) * height };
      box(context, { ...at, width: width - 1, height: height - 1 }, { stroke: palette.line, fill: palette.track });
    }
  }
  const text = words.find((own) => measure(own, WORDS) + 8 <= rect.width);
  if (text === undefined || rect.height < LINE) return;
  const wide = measure(text, WORDS) + 8;
  const { x, y } = centre(rect);
  box(context, { x: x - wide / 2, y: y - LINE / 2, width: wide, height: LINE }, { fill: palette.card, radius: 3 });
  drawText(ink, text, { x, y: y + 4 }, { ...WORDS, colour: palette.soft, align: 'center' });
}

export function paintMap(ink: Ink, { rect, cells, awaited, fresh, under, unit }: MapScene, bold = false): void {
  const { palette, context } = ink;
  if (!cells) paintAwaited(ink, rect, awaited);
  else {
    ink.heat(context, cells, rect, palette.card);
    if (unit !== undefined) paintNumbers(ink, cells, { rect, unit, bold });
  }
  if (under) box(context, grow(rect, 2.5), { stroke: palette.accent, lineWidth: 1.6, radius: 2 });
  else if (fresh && rect.height > 7) box(context, grow(rect, 1.5), { stroke: palette.soft, lineWidth: 1, radius: 2 });
}
