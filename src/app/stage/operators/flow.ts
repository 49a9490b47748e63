/**
 * Draws tensors in a line, in a column, or the operands in a line and the result below, with signs between them, as
 * large as the place allows. Used for residual sums, elementwise kernels and kernels that only move numbers.
 */
import type { Rect } from '../../draw/geometry';
import { LINE } from './places';
import type { Sketch } from './sketch';

export interface FlowBlock {
  /** Size in elements. */
  readonly rows: number;
  readonly columns: number;
  /** Whether cells may be stretched; the pixels of an image must be square. */
  readonly stretches?: boolean;
  /** Longest first. */
  readonly texts: readonly string[];
  draw(rect: Rect): void;
}

const SIGN = 26;
const LETTER = 6.2;
const LARGEST = 26;

interface Fit {
  readonly cell: number;
  readonly set: 'line' | 'two lines' | 'column';
}

/** An arrangement that is harder to read is chosen only if its cells are larger by this factor. */
const LARGER = { 'two lines': 1.05, column: 1.15 } as const;
const LINE_GAP = 6;
/**
 * The most times that a stretched cell's longer side may exceed its shorter side: a line of one or two rows would
 * otherwise be a thin strip.
 */
const STRETCH = 3;
const STRETCH_OF_FEW = 8;
/** The same for cells of a line that are higher than wide. */
const HIGHER = 1.8;
const NARROW = 110;

/** The width for the signs at the left of a column. */
const indentOf = ({ width }: Rect): number => (width < NARROW ? 18 : SIGN + LETTER);

/** By how much to stretch the cells, which take `used` pixels, to fill the free place. */
const stretchOf = (blocks: readonly FlowBlock[], used: number, free: number, most = STRETCH): number =>
  blocks.every((b) => b.stretches) ? Math.max(1, Math.min(most, free / used)) : 1;

const widthOf = (sign: string): number => SIGN + Math.max(0, sign.length - 1) * LETTER;

const columnsOf = (blocks: readonly FlowBlock[]): number => blocks.reduce((sum, b) => sum + b.columns, 0);
const highest = (blocks: readonly FlowBlock[]): number => Math.max(...blocks.map((b) => b.rows));
const sumOf = (signs: readonly string[]): number => signs.reduce((sum, sign) => sum + widthOf(sign), 0);

/** The operands with their signs, and the result with the sign before it. */
const ended = (blocks: readonly FlowBlock[], signs: readonly string[]) => ({
  operands: blocks.slice(0, -1),
  between: signs.slice(0, -1),
  result: blocks.slice(-1),
  last: signs.at(-1) ?? '=',
});

function fits(area: Rect, blocks: readonly FlowBlock[], signs: readonly string[], label: number): Fit {
  const line = Math.min((area.width - sumOf(signs)) / columnsOf(blocks), (area.height - label) / highest(blocks));
  const { operands, between, result, last } = ended(blocks, signs);
  const twoLines =
    operands.length < 2
      ? 0
      : Math.min(
          (area.width - sumOf(between)) / columnsOf(operands),
          (area.width - widthOf(last)) / columnsOf(result),
          (area.height - 2 * label - LINE_GAP) / (highest(operands) + highest(result)),
        );
  const indent = indentOf(area);
  const column = Math.min(
    (area.width - indent) / Math.max(...blocks.map((b) => b.columns)),
    (area.height - blocks.length * label - LINE_GAP * (blocks.length - 1)) / blocks.reduce((sum, b) => sum + b.rows, 0),
  );
  let best: Fit = { cell: Math.min(LARGEST, line), set: 'line' };
  for (const [set, cell] of [
    ['two lines', twoLines],
    ['column', column],
  ] as const)
    if (Math.min(LARGEST, cell) > LARGER[set] * best.cell) best = { cell: Math.min(LARGEST, cell), set };
  return best;
}

/** The limits for drawn rows and columns of a tensor, tried in this order. */
const CROPS = [64, 48, 32, 24, 16];
/** A smaller window is chosen if it covers more of the place by this factor. */
const BETTER = 1.25;

/** `words[i]` is the sign after block i; `blocksOf` makes the blocks with at most `crop` rows and columns. */
export function flow(
  sketch: Sketch,
  area: Rect,
  blocksOf: (crop: number) => readonly FlowBlock[],
  words: readonly string[],
): void {
  const label = area.height >= 52 && area.width >= 90 ? LINE + 1 : 0;
  let best:
    | {
        readonly blocks: readonly FlowBlock[];
        readonly fit: Fit;
        readonly covered: number;
        readonly signs: readonly string[];
      }
    | undefined;
  // The words of a long sign are left out if the tensors then cover much more of the place.
  const short = words.map((sign) => (sign.length > 3 ? '→' : sign));
  const all = short.every((sign, i) => sign === words[i]) ? [words] : [words, short];
  for (const [crop, signs] of CROPS.flatMap((c) => all.map((own) => [c, own] as const))) {
    const blocks = blocksOf(crop);
    const fit = fits(area, blocks, signs, label);
    const covered = blocks.reduce((sum, b) => sum + b.rows * b.columns, 0) * fit.cell ** 2;
    const pale = best !== undefined && best.fit.cell < 2;
    if (fit.cell > 0 && (!best || pale || covered > BETTER * best.covered)) best = { blocks, fit, covered, signs };
  }
  if (!best) return;
  const { blocks, fit, signs } = best;
  const look = { cell: fit.cell, label };
  const wider = stretchOf(blocks, columnsOf(blocks) * fit.cell, area.width - sumOf(signs));
  if (fit.set === 'line') inLine(sketch, area, blocks, signs, { ...look, wider });
  else if (fit.set === 'column') below(sketch, area, blocks, signs, look);
  else inTwoLines(sketch, area, blocks, signs, look);
}

/** Draws the operands in a line and the result below them, with the result's sign before it. */
function inTwoLines(
  sketch: Sketch,
  area: Rect,
  blocks: readonly FlowBlock[],
  signs: readonly string[],
  { cell, label }: Look,
) {
  const { operands, between, result, last } = ended(blocks, signs);
  const [above, beneath] = [label + highest(operands) * cell, label + highest(result) * cell];
  const free = Math.max(0, area.height - above - beneath - LINE_GAP);
  const y = area.y + free / 3;
  const wider = Math.min(
    stretchOf(operands, columnsOf(operands) * cell, area.width - sumOf(between)),
    stretchOf(result, columnsOf(result) * cell, area.width - widthOf(last)),
  );
  inLine(sketch, { ...area, y, height: above }, operands, between, { cell, label, wider, ends: 'operand' });
  const top = y + above + LINE_GAP + free / 3 + label;
  const width = columnsOf(result) * cell * wider;
  const x = Math.max(area.x + widthOf(last), area.x + (area.width - width) / 2);
  for (const block of result) {
    block.draw({ x, y: top, width, height: block.rows * cell });
    const room = { x, y: top - LINE - 1, width: area.x + area.width - x, height: LINE };
    if (label > 0) sketch.word(room, block.texts, { tone: 'ink' });
  }
  sketch.sign(last, x - widthOf(last) / 2, top + (beneath - label) / 2 + 5);
}

interface Look {
  readonly cell: number;
  readonly label: number;
  /** A cell's width divided by its height. */
  readonly wider?: number;
  /** Whether the line's last block is an operand or the result. */
  readonly ends?: 'operand' | 'result';
}

function inLine(
  sketch: Sketch,
  area: Rect,
  blocks: readonly FlowBlock[],
  signs: readonly string[],
  { cell, label, wider = 1, ends = 'result' }: Look,
) {
  const between = signs.map(widthOf);
  const widths = blocks.map((b) => b.columns * cell * wider);
  const used = [...widths, ...between].reduce((a, b) => a + b, 0);
  const more = blocks.length > 1 ? Math.min(30, Math.max(0, area.width - used) / (blocks.length - 1)) : 0;
  const square = Math.max(...blocks.map((b) => b.rows)) * cell;
  // A line that the width limits gets higher cells.
  const higher = Math.min(HIGHER, stretchOf(blocks, square, area.height - label));
  const tall = square * higher;
  const top = area.y + label + Math.max(0, area.height - label - tall) / 2;
  let x = area.x + Math.max(0, area.width - used - more * (blocks.length - 1)) / 2;
  blocks.forEach((block, i) => {
    const width = widths[i] ?? 0;
    const height = block.rows * cell * higher;
    const gap = (between[i] ?? 0) + more;
    const y = top + (tall - height) / 2;
    block.draw({ x, y, width, height });
    const last = i === blocks.length - 1;
    // A block's words may extend into the gap, and the last block's words to the edge.
    const wide = last ? area.x + area.width - x : width + gap - 4;
    if (label > 0)
      sketch.word({ x, y: y - LINE - 1, width: wide, height: LINE }, block.texts, {
        tone: last && ends === 'result' ? 'ink' : 'soft',
      });
    if (!last) sketch.sign(signs[i] ?? '', x + width + gap / 2, top + tall / 2 + 5);
    x += width + gap;
  });
}

function below(
  sketch: Sketch,
  area: Rect,
  blocks: readonly FlowBlock[],
  signs: readonly string[],
  { cell, label }: Look,
) {
  const square = blocks.reduce((sum, b) => sum + b.rows * cell, 0);
  const between = blocks.length * label + LINE_GAP * (blocks.length - 1);
  const few = highest(blocks) <= 2;
  const higher = stretchOf(blocks, square, area.height - between, few ? STRETCH_OF_FEW : STRETCH);
  const heights = blocks.map((b) => b.rows * cell * higher);
  const used = heights.reduce((a, b) => a + b, 0) + blocks.length * label;
  const gap = blocks.length > 1 ? Math.min(18, Math.max(LINE_GAP, (area.height - used) / (blocks.length - 1))) : 0;
  const indent = indentOf(area);
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
    // A long sign is drawn as an arrow; its words are in the label.
    if (sign !== '') sketch.sign(sign.length > 3 ? '→' : sign, area.x + indent / 2 - 2, rect.y + rect.height / 2 + 5);
    y = rect.y + rect.height + gap;
  });
}
