/**
 * Sets the matrices of all layers in lines, as words are set: per layer its weight, with the bias as a column. Cells
 * are as large as possible; if even small cells do not fit, matrices are cropped, then labels are left out. Pure;
 * called by room-layout.ts.
 */
import type { Rect } from '../draw/geometry';
import { type MatrixWindow, matrixWindow } from './matrix-window';

export interface LayerSpec {
  readonly weight: readonly number[];
  readonly bias: boolean;
}

export interface LayerLayout {
  readonly label: Rect | undefined;
  readonly window: MatrixWindow;
  readonly weight: Rect;
  readonly bias: Rect | undefined;
}

const LABEL = 16;
const BESIDE = 2;
const GAP = 10;
const LINE_GAP = 6;
const SMALLEST_LABEL = 20;

interface Fit {
  readonly cell: number;
  readonly crop: number;
  readonly label: number;
}

interface Block {
  readonly window: MatrixWindow;
  readonly bias: boolean;
  readonly width: number;
  readonly height: number;
}

type Lines = readonly (readonly Block[])[];

function blockOf({ weight, bias }: LayerSpec, { cell, crop, label }: Fit): Block {
  const window = matrixWindow(weight, crop);
  const width = window.columns * cell + (bias ? BESIDE + cell : 0);
  const height = label + window.rows * cell;
  return { window, bias, width: label > 0 ? Math.max(SMALLEST_LABEL, width) : width, height };
}

/** undefined if a block is wider than the line. */
function setInLines(blocks: readonly Block[], width: number): Lines | undefined {
  const lines: Block[][] = [];
  let used = 0;
  for (const block of blocks) {
    if (block.width > width) return undefined;
    const line = lines.at(-1);
    if (line && used + GAP + block.width <= width) {
      line.push(block);
      used += GAP + block.width;
    } else {
      lines.push([block]);
      used = block.width;
    }
  }
  return lines;
}

const lineHeight = (line: readonly Block[]): number => Math.max(...line.map((b) => b.height));
const heightOf = (lines: Lines): number =>
  lines.reduce((sum, line) => sum + lineHeight(line), 0) + LINE_GAP * Math.max(0, lines.length - 1);

const CELLS = [26, 22, 18, 16, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5];
const SMALL_CELLS = [4, 3, 2];

/**
 * In order of preference: large cells first, a stronger crop only if small cells do not fit, no labels only if no crop
 * fits.
 */
const FITS: readonly Fit[] = [LABEL, 0].flatMap((label) => [
  ...[16, 12].flatMap((crop) => CELLS.map((cell) => ({ cell, crop, label }))),
  ...[16, 12, 8, 6, 4].flatMap((crop) => SMALL_CELLS.map((cell) => ({ cell, crop, label }))),
]);

/** undefined if the area is too small for all layers. */
export function layoutLayers(
  specs: readonly LayerSpec[],
  area: Rect,
  labelled = true,
): readonly LayerLayout[] | undefined {
  if (specs.length === 0) return [];
  for (const fit of FITS) {
    if (!labelled && fit.label > 0) continue;
    const lines = setInLines(
      specs.map((spec) => blockOf(spec, fit)),
      area.width,
    );
    if (lines && heightOf(lines) <= area.height) return placeLines(lines, area, fit);
  }
  return undefined;
}

function placeLines(lines: Lines, area: Rect, { cell, label }: Fit): readonly LayerLayout[] {
  const layers: LayerLayout[] = [];
  // Free height goes between the lines, and free width between the blocks, up to a limit.
  const high = lines.length < 2 ? 0 : Math.min(14, (area.height - heightOf(lines)) / (lines.length - 1));
  let y = area.y;
  for (const line of lines) {
    const used = line.reduce((sum, b) => sum + b.width, 0);
    const gap = line.length < 2 ? 0 : Math.min(2.4 * GAP, (area.width - used) / (line.length - 1));
    let x = area.x;
    line.forEach((block, i) => {
      const weight = { x, y: y + label, width: block.window.columns * cell, height: block.window.rows * cell };
      const last = i === line.length - 1;
      layers.push({
        label:
          label === 0
            ? undefined
            : { x, y, width: last ? area.x + area.width - x : block.width + gap - 4, height: label },
        window: block.window,
        weight,
        bias: block.bias ? { ...weight, x: x + weight.width + BESIDE, width: cell } : undefined,
      });
      x += block.width + gap;
    });
    y += lineHeight(line) + LINE_GAP + high;
  }
  return layers;
}
