/**
 * Tensors in a line or a column with signs between them, each as large as the place allows: what residual sums,
 * elementwise kernels and all that only move numbers are drawn with.
 */
import type { Rect } from '../../draw/geometry';
import { LINE } from './places';
import type { Sketch } from './sketch';

export interface Block {
  /** Elements. */
  readonly rows: number;
  readonly columns: number;
  /** Longest first. */
  readonly texts: readonly string[];
  draw(rect: Rect): void;
}

const SIGN = 26;
const LETTER = 6.2;
const LARGEST = 26;

interface Fit {
  readonly cell: number;
  readonly across: boolean;
}

const widthOf = (sign: string): number => SIGN + Math.max(0, sign.length - 1) * LETTER;

function fits(area: Rect, blocks: readonly Block[], signs: readonly string[], label: number): Fit {
  const between = signs.reduce((sum, sign) => sum + widthOf(sign), 0);
  const across = Math.min(
    (area.width - between) / blocks.reduce((sum, b) => sum + b.columns, 0),
    (area.height - label) / Math.max(...blocks.map((b) => b.rows)),
  );
  const indent = SIGN + LETTER;
  const down = Math.min(
    (area.width - indent) / Math.max(...blocks.map((b) => b.columns)),
    (area.height - blocks.length * label - 6 * (blocks.length - 1)) / blocks.reduce((sum, b) => sum + b.rows, 0),
  );
  return down > 1.15 * across
    ? { cell: Math.min(LARGEST, down), across: false }
    : { cell: Math.min(LARGEST, across), across: true };
}

/** Rows and columns of a tensor that are drawn at most. */
const CROPS = [64, 48, 32, 24, 16];
/** A smaller window is worth it where it fills the place better by this. */
const BETTER = 1.25;

/** `signs[i]` stands between block i and the next; `blocksOf` makes the blocks with windows of that many elements. */
export function flow(
  sketch: Sketch,
  area: Rect,
  blocksOf: (crop: number) => readonly Block[],
  signs: readonly string[],
): void {
  const label = area.height >= 52 && area.width >= 90 ? LINE + 1 : 0;
  let best: { readonly blocks: readonly Block[]; readonly fit: Fit; readonly covered: number } | undefined;
  for (const crop of CROPS) {
    const blocks = blocksOf(crop);
    const fit = fits(area, blocks, signs, label);
    const covered = blocks.reduce((sum, b) => sum + b.rows * b.columns, 0) * fit.cell ** 2;
    const pale = best !== undefined && best.fit.cell < 2;
    if (fit.cell > 0 && (!best || pale || covered > BETTER * best.covered)) best = { blocks, fit, covered };
  }
  if (!best) return;
  const { blocks, fit } = best;
  if (fit.across) inLine(sketch, area, blocks, signs, { cell: fit.cell, label });
  else below(sketch, area, blocks, signs, { cell: fit.cell, label });
}

interface Look {
  readonly cell: number;
  readonly label: number;
}

function inLine(sketch: Sketch, area: Rect, blocks: readonly Block[], signs: readonly string[], { cell, label }: Look) {
  const widths = blocks.map((b) => b.columns * cell);
  const between = signs.map(widthOf);
  const used = [...widths, ...between].reduce((a, b) => a + b, 0);
  const more = blocks.length > 1 ? Math.min(30, Math.max(0, area.width - used) / (blocks.length - 1)) : 0;
  const tall = Math.max(...blocks.map((b) => b.rows)) * cell;
  const top = area.y + label + Math.max(0, area.height - label - tall) / 2;
  let x = area.x + Math.max(0, area.width - used - more * (blocks.length - 1)) / 2;
  blocks.forEach((block, i) => {
    const width = widths[i] ?? 0;
    const height = block.rows * cell;
    const gap = (between[i] ?? 0) + more;
    const y = top + (tall - height) / 2;
    block.draw({ x, y, width, height });
    const last = i === blocks.length - 1;
    // Words may go on into the gap, and the last into what is left.
    const wide = last ? area.x + area.width - x : width + gap - 4;
    if (label > 0)
      sketch.word({ x, y: y - LINE - 1, width: wide, height: LINE }, block.texts, { tone: last ? 'ink' : 'soft' });
    if (!last) sketch.sign(signs[i] ?? '', x + width + gap / 2, top + tall / 2 + 5);
    x += width + gap;
  });
}

function below(sketch: Sketch, area: Rect, blocks: readonly Block[], signs: readonly string[], { cell, label }: Look) {
  const heights = blocks.map((b) => b.rows * cell);
  const used = heights.reduce((a, b) => a + b, 0) + blocks.length * label;
  const gap = blocks.length > 1 ? Math.min(18, Math.max(4, (area.height - used) / (blocks.length - 1))) : 0;
  const indent = SIGN + LETTER;
  let y = area.y + Math.max(0, area.height - used - gap * (blocks.length - 1)) / 2;
  blocks.forEach((block, i) => {
    const rect = { x: area.x + indent, y: y + label, width: block.columns * cell, height: heights[i] ?? 0 };
    block.draw(rect);
    const last = i === blocks.length - 1;
    if (label > 0)
      sketch.word({ ...rect, y, width: area.width - indent, height: LINE }, block.texts, {
        tone: last ? 'ink' : 'soft',
      });
    const sign = i > 0 ? (signs[i - 1] ?? '') : '';
    // A long sign has its words in the label; here it is an arrow.
    if (sign !== '') sketch.sign(sign.length > 3 ? '→' : sign, area.x + indent / 2 - 2, rect.y + rect.height / 2 + 5);
    y = rect.y + rect.height + gap;
  });
}
