/**
 * The four arrangements of a product's matrices: in one line, in two, in a column, or a large result with small
 * operands beside or below it. Each function returns undefined if its arrangement does not fit. product-layout.ts
 * chooses among them. Pure.
 */
import type { Rect } from '../draw/geometry';
import {
  type Block,
  blockOf,
  CELLS,
  CROPS,
  heightOf,
  LABEL,
  LEGIBLE,
  largestFit,
  mayWiden,
  type ProductLayout,
  place,
  signWidth,
  WIDEST,
  widened,
  widening,
  widthOf,
  windowOf,
} from './product-blocks';
import type { ProductSpec } from './product-spec';

/** The height of the words below the operands. */
const LINE = 15;
/** The share of the width, or the height, that the operands take beside or below a large result. */
const OPERANDS = 0.42;
const SMALLEST_OPERANDS = 96;
const SIGN = 20;
const LINE_GAP = 8;
/** More lines are chosen if they cover more of the room by this factor. */
export const FULLER = 1.4;

/** The result large on the left or on top, the operands small beside or below it. */
export function led(spec: ProductSpec, area: Rect, label: number, below: boolean): ProductLayout | undefined {
  const own: ProductSpec = { ...spec, parts: spec.parts.slice(0, 1), signs: [] };
  const words = spec.words.length > 0 && label > 0 ? LINE + 5 : 0;
  const width = area.width - (below ? 0 : Math.max(SMALLEST_OPERANDS, OPERANDS * area.width) + SIGN);
  const square = largestFit(
    own,
    0,
    { ...area, width, height: below ? (1 - OPERANDS) * area.height : area.height },
    label,
  );
  if (!square) return undefined;
  const lead = widened(square, widening(square, width));
  const first = place(lead, own, area, label, false);
  const used = { width: widthOf(lead), height: label + heightOf(lead) };
  const rest = below
    ? {
        ...area,
        x: area.x + SIGN,
        y: area.y + used.height + LINE_GAP,
        width: area.width - SIGN,
        height: area.height - used.height - LINE_GAP,
      }
    : { ...area, x: area.x + used.width + SIGN + 8, width: area.width - used.width - SIGN - 8 };
  const operands = largestFit(
    spec,
    1,
    { ...rest, height: rest.height - words },
    label,
    below ? lead.cell : Math.min(lead.cell, 16),
  );
  if (!operands || operands.cell < 2.5) return undefined;
  const second = place(widened(operands, widening(operands, rest.width)), spec, rest, label, true);
  const middle = label + Math.max(heightOf(lead), heightOf(operands)) / 2;
  const sign = below
    ? { x: area.x + SIGN / 2 - 2, y: rest.y + label + heightOf(operands) / 2 + 5 }
    : { x: rest.x - SIGN / 2 - 4, y: area.y + middle };
  const beneath = { ...rest, y: rest.y + label + heightOf(operands) + 4, height: LINE };
  return {
    parts: [
      ...first.parts.map((p) => (below ? p : { ...p, label: { ...p.label, width: used.width + 8 } })),
      ...second.parts,
    ],
    signs: [{ text: spec.signs[0] ?? '=', ...sign }, ...second.signs],
    words: words > 0 ? beneath : undefined,
  };
}

/** The operands in a line, the result below them. */
export function inTwoLines(spec: ProductSpec, area: Rect, label: number): ProductLayout | undefined {
  const last = spec.parts.length - 1;
  if (last < 1) return undefined;
  const operands: ProductSpec = { ...spec, parts: spec.parts.slice(0, last), signs: spec.signs.slice(0, last - 1) };
  const sign = spec.signs[last - 1] ?? '=';
  const indent = signWidth(sign, true) + 4;
  const half = { ...area, height: (area.height - LINE_GAP) / 2 };
  const above = largestFit(operands, 0, half, label);
  const low = { ...half, x: area.x + indent, width: area.width - indent };
  const result = above && largestFit(spec, last, low, label, above.cell);
  if (!above || !result) return undefined;
  const by = Math.min(widening(above, area.width), widening(result, low.width));
  const first = place(widened(above, by), operands, area, label, true);
  const second = place(
    widened(result, by),
    spec,
    { ...low, y: area.y + label + heightOf(above) + LINE_GAP },
    label,
    false,
  );
  const [made] = second.parts;
  const at = made ? made.map.y + made.map.height / 2 + 5 : area.y;
  return {
    parts: [...first.parts, ...second.parts],
    signs: [...first.signs, { text: sign, x: area.x + indent / 2 - 2, y: at }],
    words: undefined,
  };
}

/** One line per matrix, cells of one size, each sign before its matrix. */
export function inColumn(spec: ProductSpec, area: Rect, label: number): ProductLayout | undefined {
  const count = spec.parts.length;
  if (count < 2) return undefined;
  const indent = Math.max(...spec.signs.map((sign) => signWidth(sign, true))) + 4;
  const gap = LINE_GAP * (count - 1) + label * count;
  const place = { ...area, width: area.width - indent };
  let best: { readonly blocks: readonly Block[]; readonly size: number } | undefined;
  for (const crop of CROPS) {
    const parts = spec.parts.map((part) => ({ part, window: windowOf(part, crop) }));
    for (const cell of CELLS) {
      const blocks = parts.map(({ part, window }, i) => blockOf(part, i, window, cell));
      const high = blocks.reduce((sum, b) => sum + b.height, 0) + gap;
      if (cell < LEGIBLE || high > place.height || Math.max(...blocks.map((b) => b.width)) > place.width) continue;
      const size = blocks.reduce((sum, b) => sum + b.width * b.height, 0);
      if (!best || size > FULLER * best.size) best = { blocks, size };
      break;
    }
  }
  if (!best) return undefined;
  const widest = Math.max(...best.blocks.map((b) => b.width));
  const by = best.blocks.every(mayWiden) ? Math.max(1, Math.min(WIDEST, place.width / widest)) : 1;
  let y = area.y;
  const placed = widened(best, by).blocks.map((b, i) => {
    const map = { x: area.x + indent, y: y + label, width: b.width, height: b.height };
    y += label + b.height + LINE_GAP;
    const above = { x: map.x, y: map.y - LABEL, width: place.width, height: label };
    const sign = { text: spec.signs[i - 1] ?? '', x: area.x + indent / 2 - 2, y: map.y + b.height / 2 + 5 };
    return { part: { part: b.index, label: above, map, bias: undefined, window: b.window }, sign };
  });
  return { parts: placed.map(({ part }) => part), signs: placed.slice(1).map(({ sign }) => sign), words: undefined };
}

export function inOneLine(spec: ProductSpec, area: Rect, label: number): ProductLayout | undefined {
  for (let from = 0; from < spec.parts.length; from++) {
    const set = largestFit(spec, from, area, label);
    if (set && (set.cell >= 3.5 || from === spec.parts.length - 1))
      return place(widened(set, widening(set, area.width)), spec, area, label, true);
  }
  return undefined;
}
