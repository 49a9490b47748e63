/**
 * Sets the matrices of a product in a line, in two lines or in a column, whichever fills the room most: operands and
 * result with cells of one size, or the result large with its operands small beside or below it. Large matrices are
 * windows. Where not even small cells fit the operands are left out, the first ones first. Pure; called by
 * room-content.ts.
 */
import { bottom, type Rect } from '../draw/geometry';
import { activationWindow, type MatrixWindow, matrixWindow } from './matrix-window';
import type { ProductPart, ProductSpec } from './product-spec';

export interface PartLayout {
  /** Index in the spec. */
  readonly part: number;
  readonly label: Rect;
  readonly map: Rect;
  readonly bias: Rect | undefined;
  readonly window: MatrixWindow;
}

export interface SignLayout {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface ProductLayout {
  readonly parts: readonly PartLayout[];
  readonly signs: readonly SignLayout[];
  readonly words: Rect | undefined;
}

const LABEL = 16;
const LINE = 15;
const BESIDE = 4;
const LETTER = 6.2;
const CELLS = [26, 22, 20, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9.5, 9, 8.5, 8, 7.5, 7, 6.5, 6, 5.5, 5, 4.5, 4, 3.5, 3];
const CROPS = [16, 12, 8, 6, 4];
const LEGIBLE = 5;
/** A single number is printed. */
const NUMBER = { width: 64, height: 26 };

const one = (shape: readonly number[]): boolean => shape.every((n) => n === 1);

interface Block {
  readonly index: number;
  readonly window: MatrixWindow;
  readonly width: number;
  readonly height: number;
  readonly bias: boolean;
  /** Width of a cell. */
  readonly cell: number;
  /** A number that is printed has one size. */
  readonly fixed: boolean;
}

function windowOf({ shape, category, transposed }: ProductPart, crop: number): MatrixWindow {
  if (transposed) {
    const { rows, columns, stride, label } = matrixWindow(shape, crop);
    return { rows: columns, columns: rows, stride: 1, step: stride, unit: 1, label };
  }
  return category === 'activation' || category === 'data' ? activationWindow(shape, crop) : matrixWindow(shape, crop);
}

/** Cells of a matrix of numbers may be wider than high; pixels and filters are square. */
const WIDEST = 2.5;
const mayWiden = ({ window }: Block): boolean => !window.tiles && window.unit === 1;

function blockOf(part: ProductPart, index: number, window: MatrixWindow, cell: number): Block {
  const bias = part.bias !== undefined;
  if (one(part.shape)) return { index, window, bias: false, ...NUMBER, cell, fixed: true };
  const width = window.columns * window.unit * cell + (bias ? BESIDE + cell : 0);
  return { index, window, bias, width, height: window.rows * window.unit * cell, cell, fixed: false };
}

const signWidth = (sign: string, tight: boolean): number => (tight ? 13 : 20) + Math.max(0, sign.length - 1) * LETTER;

interface Set {
  readonly blocks: readonly Block[];
  readonly gaps: readonly number[];
  readonly cell: number;
}

const widthOf = ({ blocks, gaps }: Pick<Set, 'blocks' | 'gaps'>): number =>
  blocks.reduce((sum, b) => sum + b.width, 0) + gaps.reduce((a, b) => a + b, 0);

/** Free width between two matrices that is left free. */
const APART = 24;

/** How many times as wide the cells of a line may be to fill that width. */
function widening({ blocks, gaps }: Pick<Set, 'blocks' | 'gaps'>, width: number): number {
  if (!blocks.every(mayWiden)) return 1;
  const wide = blocks.reduce((sum, b) => sum + cellsWidth(b), 0);
  const fixed = widthOf({ blocks, gaps }) - wide + APART * (blocks.length - 1);
  return wide === 0 ? 1 : Math.max(1, Math.min(WIDEST, (width - fixed) / wide));
}

/** Of a block, what grows with the width of its cells. */
const cellsWidth = (b: Block): number => (b.fixed ? 0 : b.width - (b.bias ? BESIDE : 0));

const widened = <S extends Pick<Set, 'blocks'>>(set: S, by: number): S => ({
  ...set,
  blocks: set.blocks.map((b) => ({ ...b, width: b.width + (by - 1) * cellsWidth(b), cell: by * b.cell })),
});

const heightOf = ({ blocks }: Pick<Set, 'blocks'>): number => Math.max(...blocks.map((b) => b.height));

/** The largest cells that fit; rather a window than cells too small to be seen. */
function largestFit(spec: ProductSpec, from: number, area: Rect, label: number, largest = 26): Set | undefined {
  const gaps = spec.signs.slice(from).map((s) => signWidth(s, area.width < 170));
  const shown = spec.parts.slice(from);
  let small: Set | undefined;
  for (const crop of CROPS) {
    const cropped = shown.map((part) => ({ part, window: windowOf(part, crop) }));
    for (const cell of CELLS) {
      if (cell > largest) continue;
      const blocks = cropped.map(({ part, window }, i) => blockOf(part, from + i, window, cell));
      const set = { blocks, gaps, cell };
      if (widthOf(set) > area.width || heightOf(set) + label > area.height) continue;
      if (cell >= LEGIBLE) return set;
      if (!small || cell > small.cell + 1) small = set;
      break;
    }
  }
  return small;
}

function place(set: Set, spec: ProductSpec, area: Rect, label: number, spread: boolean): ProductLayout {
  const height = heightOf(set);
  const free = area.width - widthOf(set);
  const more = spread && set.blocks.length > 1 ? Math.min(APART, free / (set.blocks.length - 1)) : 0;
  let x = area.x;
  const parts: PartLayout[] = [];
  const signs: SignLayout[] = [];
  set.blocks.forEach((b, i) => {
    const gap = set.gaps[i] ?? 0;
    const y = area.y + label + (spec.lead ? 0 : (height - b.height) / 2);
    const biasWidth = b.bias ? BESIDE + b.cell : 0;
    const map = { x, y, width: b.width - biasWidth, height: b.height };
    parts.push({
      part: b.index,
      label: {
        x,
        y: y - LABEL,
        width: i < set.blocks.length - 1 ? b.width + gap + more - 4 : Math.max(b.width, area.x + area.width - x),
        height: label,
      },
      map,
      bias: b.bias ? { x: x + map.width + BESIDE, y, width: b.cell, height: b.height } : undefined,
      window: b.window,
    });
    const sign = spec.signs[b.index];
    if (i < set.blocks.length - 1 && sign !== undefined)
      signs.push({ text: sign, x: x + b.width + (gap + more) / 2, y: area.y + label + height / 2 + 5 });
    x += b.width + gap + more;
  });
  return { parts, signs, words: undefined };
}

/** Part of the width, or the height, that the operands take where the result leads. */
const OPERANDS = 0.42;
const SMALLEST_OPERANDS = 96;
const SIGN = 20;
const LINE_GAP = 8;
/** More lines are worth their while where they fill the room more by this. */
const FULLER = 1.4;
const MOST_SHIFT = 60;

/** Pixels that the matrices cover. */
const covered = ({ parts }: ProductLayout): number => parts.reduce((sum, { map }) => sum + map.width * map.height, 0);

/** The one that fills the room most; the earlier ones are easier to read, and win unless a later one is much fuller. */
function fullest(layouts: readonly (ProductLayout | undefined)[]): ProductLayout | undefined {
  let best: ProductLayout | undefined;
  for (const layout of layouts)
    if (layout && (!best || layout.parts.length > best.parts.length || covered(layout) > FULLER * covered(best)))
      best = layout;
  return best;
}

/** The result large on the left or on top, its operands small beside it or below. */
function led(spec: ProductSpec, area: Rect, label: number, below: boolean): ProductLayout | undefined {
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
function inTwoLines(spec: ProductSpec, area: Rect, label: number): ProductLayout | undefined {
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

/** Each matrix on a line of its own, cells of one size, the sign before it. */
function inColumn(spec: ProductSpec, area: Rect, label: number): ProductLayout | undefined {
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

function inOneLine(spec: ProductSpec, area: Rect, label: number): ProductLayout | undefined {
  for (let from = 0; from < spec.parts.length; from++) {
    const set = largestFit(spec, from, area, label);
    if (set && (set.cell >= 3.5 || from === spec.parts.length - 1))
      return place(widened(set, widening(set, area.width)), spec, area, label, true);
  }
  return undefined;
}

/** Height that is left over is above and below, within reason. */
function centred(layout: ProductLayout | undefined, area: Rect): ProductLayout | undefined {
  if (!layout) return undefined;
  const low = Math.max(...layout.parts.map((p) => bottom(p.map)), layout.words ? bottom(layout.words) : 0);
  const by = Math.min(MOST_SHIFT, Math.max(0, (bottom(area) - low) / 2));
  const down = <T extends { readonly y: number }>(at: T): T => ({ ...at, y: at.y + by });
  return {
    parts: layout.parts.map((p) => ({ ...p, label: down(p.label), map: down(p.map), bias: p.bias && down(p.bias) })),
    signs: layout.signs.map(down),
    words: layout.words && down(layout.words),
  };
}

export const layoutProduct = (spec: ProductSpec, area: Rect): ProductLayout | undefined =>
  centred(layoutIn(spec, area), area);

function layoutIn(spec: ProductSpec, area: Rect): ProductLayout | undefined {
  const label = area.height >= 60 && area.width >= 90 ? LABEL : 0;
  if (spec.lead && spec.parts.length > 1) {
    const best = fullest([led(spec, area, label, false), led(spec, area, label, true)]);
    if (best) return best;
    const own: ProductSpec = { ...spec, parts: spec.parts.slice(0, 1), signs: [] };
    return inOneLine(own, area, label);
  }
  return fullest([inOneLine(spec, area, label), inTwoLines(spec, area, label), inColumn(spec, area, label)]);
}
