/**
 * One head of an attention map: its weights, one row per query and one column per key, and their painting with the
 * tokens on both sides.
 */
import { at } from '../../../base/invariant';
import type { AttentionMap } from '../../../protocol/session';
import type { Palette } from '../../draw/theme';
import type { CanvasCell } from '../cells/cell-canvas';
import { paintShares, type Shares } from '../cells/paint-shares';
import { textOnShare } from '../cells/share-scale';
import type { AttentionLayout } from './attention-layout';

export interface HeadMap extends Shares {
  readonly module: string;
  readonly head: number;
}

/** Every head of every layer, in order. Self-attention has as many queries as keys. */
export function headMaps(maps: readonly AttentionMap[]): readonly HeadMap[] {
  return maps.flatMap(({ module, heads, weights }) => {
    const side = Math.round(Math.sqrt(weights.length / heads));
    return Array.from({ length: heads }, (_, head) => ({
      module,
      head,
      rows: side,
      columns: side,
      share: (query: number, key: number) => at(weights, (head * side + query) * side + key),
    }));
  });
}

/** A token as text, with visible spaces and line ends. */
export const shownToken = (token: string): string =>
  token.replaceAll(' ', '␣').replaceAll('\n', '↵').replaceAll('\t', '⇥');

interface HeadPaint {
  readonly map: HeadMap;
  readonly layout: AttentionLayout;
  readonly tokens: readonly string[];
  readonly cell: CanvasCell | undefined;
  readonly palette: Palette;
}

const LEAST_FOR_NUMBERS = 24;

function paintPercents(
  context: CanvasRenderingContext2D,
  { rows, columns, share }: HeadMap,
  { left, top, cell }: AttentionLayout,
  palette: Palette,
): void {
  context.font = `11px ${palette.sans}`;
  context.textAlign = 'center';
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const percent = Math.round(100 * share(row, column));
      if (percent === 0) continue;
      context.fillStyle = textOnShare(palette, share(row, column));
      context.fillText(String(percent), left + (column + 0.5) * cell, top + (row + 0.5) * cell);
    }
  }
}

export function paintHead(context: CanvasRenderingContext2D, { map, layout, tokens, cell, palette }: HeadPaint): void {
  const { left, top, cell: side, namedEvery } = layout;
  paintShares(context, map, { x: left, y: top, width: side * map.columns, height: side * map.rows }, palette);
  context.textBaseline = 'middle';
  if (side >= LEAST_FOR_NUMBERS) paintPercents(context, map, layout, palette);
  context.textAlign = 'left';
  context.fillStyle = palette.soft;
  context.font = `11px ${palette.sans}`;
  context.fillText('looks at', left, 7);
  context.save();
  context.translate(6, top);
  context.rotate(-Math.PI / 2);
  context.textAlign = 'right';
  context.fillText('position', 0, 0);
  context.restore();
  context.font = `${side < 9 ? 9 : side < 12 ? 10 : 11}px ${palette.mono}`;
  for (let i = 0; i < Math.max(map.columns, map.rows); i += namedEvery) {
    const token = shownToken(tokens[i] ?? String(i));
    const middle = (i + 0.5) * side;
    context.fillStyle = cell?.row === i ? palette.ink : palette.soft;
    context.textAlign = 'right';
    if (i < map.rows) context.fillText(token, left - 5, top + middle);
    context.fillStyle = cell?.column === i ? palette.ink : palette.soft;
    context.textAlign = 'center';
    if (i < map.columns) context.fillText(token, left + middle, top - 9);
  }
  if (!cell) return;
  context.strokeStyle = palette.ink;
  context.lineWidth = 2;
  context.strokeRect(left + cell.column * side, top + cell.row * side, side, side);
}
