/**
 * The matrices of a product as blocks of cells: how many cells of which size fit into an area, how wide cells may be,
 * and the placement of one line of blocks. product-lines.ts arranges the lines. Pure.
 */
import type { Rect } from '../draw/geometry';
import { cutFrame, wholeScale } from './cut-frame';
import { activationWindow, type MatrixWindow, matrixWindow } from './matrix-window';
import type { ProductPart, ProductSpec } from './product-spec';

export interface PartLayout {
  /** Index of the part in the spec. */
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

export const LABEL = 16;
const BESIDE = 4;
const LETTER = 6.2;
export const CELLS = [
  26, 22, 20, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9.5, 9, 8.5, 8, 7.5, 7, 6.5, 6, 5.5, 5, 4.5, 4, 3.5, 3,
];
export const CROPS = [16, 12, 8, 6, 4];
export const LEGIBLE = 5;
/** The size of a single printed number. */
const NUMBER = { width: 64, height: 26 };

const one = (shape: readonly number[]): boolean => shape.every((n) => n === 1);

export interface Block {
  readonly index: number;
  readonly window: MatrixWindow;
  readonly width: number;
  readonly height: number;
  readonly bias: boolean;
  /** Width of a cell. */
  readonly cell: number;
  /** Whether the block has a fixed size, because it is a printed number. */
  readonly fixed: boolean;
}

export function windowOf({ shape, category, transposed }: ProductPart, crop: number): MatrixWindow {
  if (transposed) {
    const { rows, columns, stride, label } = matrixWindow(shape, crop);
    return { rows: columns, columns: rows, stride: 1, step: stride, unit: 1, label };
  }
  return category === 'activation' || category === 'data' ? activationWindow(shape, crop) : matrixWindow(shape, crop);
}

/** How many times wider than high a matrix's cells may be; pixels and filters are square. */
export const WIDEST = 2.5;
export const mayWiden = ({ window }: Block): boolean => !window.tiles && window.unit === 1;

export function blockOf(part: ProductPart, index: number, window: MatrixWindow, cell: number): Block {
  const bias = part.bias !== undefined;
  if (one(part.shape)) return { index, window, bias: false, ...NUMBER, cell, fixed: true };
  // If the rank has a part of a tensor, the block has the size of the whole.
  const whole = wholeScale(window.tiles ? undefined : cutFrame(part.cut, part.transposed));
  const width = whole.x * window.columns * window.unit * cell + (bias ? BESIDE + cell : 0);
  return { index, window, bias, width, height: whole.y * window.rows * window.unit * cell, cell, fixed: false };
}

export const signWidth = (sign: string, tight: boolean): number =>
  (tight ? 13 : 20) + Math.max(0, sign.length - 1) * LETTER;

export interface Set {
  readonly blocks: readonly Block[];
  readonly gaps: readonly number[];
  readonly cell: number;
}

export const widthOf = ({ blocks, gaps }: Pick<Set, 'blocks' | 'gaps'>): number =>
  blocks.reduce((sum, b) => sum + b.width, 0) + gaps.reduce((a, b) => a + b, 0);

/** The width between two matrices that stays free. */
const APART = 24;

/** By how much a line's cells may be widened to fill the width. */
export function widening({ blocks, gaps }: Pick<Set, 'blocks' | 'gaps'>, width: number): number {
  if (!blocks.every(mayWiden)) return 1;
  const wide = blocks.reduce((sum, b) => sum + cellsWidth(b), 0);
  const fixed = widthOf({ blocks, gaps }) - wide + APART * (blocks.length - 1);
  return wide === 0 ? 1 : Math.max(1, Math.min(WIDEST, (width - fixed) / wide));
}

/** The part of a block's width that grows with the width of its cells. */
const cellsWidth = (b: Block): number => (b.fixed ? 0 : b.width - (b.bias ? BESIDE : 0));

export const widened = <S extends Pick<Set, 'blocks'>>(set: S, by: number): S => ({
  ...set,
  blocks: set.blocks.map((b) => ({ ...b, width: b.width + (by - 1) * cellsWidth(b), cell: by * b.cell })),
});

export const heightOf = ({ blocks }: Pick<Set, 'blocks'>): number => Math.max(...blocks.map((b) => b.height));

/** The largest cells that fit; crops matrices rather than making cells too small. */
export function largestFit(spec: ProductSpec, from: number, area: Rect, label: number, largest = 26): Set | undefined {
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

export function place(set: Set, spec: ProductSpec, area: Rect, label: number, spread: boolean): ProductLayout {
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
