/**
 * Sets the layers of a room in lines, as words are set: per layer its weight with the bias as a column, and the gradients beside or under them.
 * The cells are as large as they can be; when even small ones do not fit, matrices are cropped further. Pure; called by room-layout.ts.
 */
import { type Rect, right } from '../draw/geometry';
import { type MatrixWindow, matrixWindow } from './matrix-window';

export interface LayerSpec {
  readonly weight: readonly number[];
  readonly bias: boolean;
  readonly gradients: boolean;
}

/** A weight with its bias as a column on its right, or their gradients. */
export interface PairLayout {
  readonly weight: Rect;
  readonly bias: Rect | undefined;
}

export interface LayerLayout {
  readonly label: Rect;
  /** Over the gradients, where they stand beside their weights. */
  readonly gradientLabel: Rect | undefined;
  readonly window: MatrixWindow;
  readonly values: PairLayout;
  readonly gradients: PairLayout | undefined;
  /** Where a cropped matrix says so. */
  readonly note: Rect | undefined;
}

export interface LayersLayout {
  readonly layers: readonly LayerLayout[];
  readonly cell: number;
  readonly width: number;
  readonly height: number;
}

export const LABEL = 16;
const NOTE = 14;
const BESIDE = 3;
const PAIR_GAP = 6;
const LAYER_GAP = 10;
const LINE_GAP = 7;
const SMALLEST_LABEL = 20;
const GRADIENT_LABEL = 26;
const NO_LAYERS: LayersLayout = { layers: [], cell: 0, width: 0, height: 0 };

interface Fit {
  readonly cell: number;
  readonly crop: number;
  /** Gradients under their weights instead of beside them. */
  readonly stacked: boolean;
}

interface Block {
  readonly spec: LayerSpec;
  readonly window: MatrixWindow;
  readonly pairWidth: number;
  readonly width: number;
  readonly mapHeight: number;
  readonly height: number;
}

type Lines = readonly (readonly Block[])[];

function blockOf(spec: LayerSpec, { cell, crop, stacked }: Fit): Block {
  const window = matrixWindow(spec.weight, crop);
  const pairWidth = window.columns * cell + (spec.bias ? BESIDE + cell : 0);
  const pairs = spec.gradients ? 2 : 1;
  const mapHeight = window.rows * cell;
  const note = window.label === '' ? 0 : NOTE;
  return {
    spec,
    window,
    pairWidth,
    mapHeight,
    width: Math.max(SMALLEST_LABEL, stacked ? pairWidth : pairWidth * pairs + PAIR_GAP * (pairs - 1)),
    height: LABEL + note + (stacked ? mapHeight * pairs + PAIR_GAP * (pairs - 1) : mapHeight),
  };
}

/** undefined when a block is wider than the line. */
function setInLines(blocks: readonly Block[], width: number): Lines | undefined {
  const lines: Block[][] = [];
  let used = 0;
  for (const block of blocks) {
    if (block.width > width) return undefined;
    const line = lines.at(-1);
    if (line && used + LAYER_GAP + block.width <= width) {
      line.push(block);
      used += LAYER_GAP + block.width;
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

const CELLS = [26, 22, 18, 16, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3];
const SMALL_CELLS = [6, 5, 4, 3];
const CROPS = [12, 8, 6, 4];

/** Large cells first; at one size gradients rather beside than under; a crop is given up only when small cells do not fit. */
const FITS: readonly Fit[] = [
  ...CELLS.map((cell) => ({ cell, crop: 16 })),
  ...CROPS.flatMap((crop) => SMALL_CELLS.map((cell) => ({ cell, crop }))),
].flatMap((fit) => [false, true].map((stacked) => ({ ...fit, stacked })));

const linesFor = (layers: readonly LayerSpec[], fit: Fit, width: number): Lines | undefined =>
  setInLines(
    layers.map((spec) => blockOf(spec, fit)),
    width,
  );

function placeBlock(block: Block, x: number, y: number, { cell, stacked }: Fit): LayerLayout {
  const { window, pairWidth, mapHeight, spec } = block;
  const pairAt = (px: number, py: number): PairLayout => ({
    weight: { x: px, y: py, width: window.columns * cell, height: mapHeight },
    bias: spec.bias ? { x: px + window.columns * cell + BESIDE, y: py, width: cell, height: mapHeight } : undefined,
  });
  const top = y + LABEL;
  const second = stacked ? pairAt(x, top + mapHeight + PAIR_GAP) : pairAt(x + pairWidth + PAIR_GAP, top);
  const beside = spec.gradients && !stacked && pairWidth >= GRADIENT_LABEL;
  const noteTop = top + (stacked && spec.gradients ? 2 * mapHeight + PAIR_GAP : mapHeight);
  return {
    label: { x, y, width: beside ? pairWidth + PAIR_GAP - 3 : block.width, height: LABEL },
    gradientLabel: beside ? { x: x + pairWidth + PAIR_GAP, y, width: pairWidth, height: LABEL } : undefined,
    window,
    values: pairAt(x, top),
    gradients: spec.gradients ? second : undefined,
    note: window.label === '' ? undefined : { x, y: noteTop, width: block.width, height: NOTE },
  };
}

/** The layers in an area of which only the height may be exceeded, and that only when nothing smaller is left to try. */
export function layoutLayers(specs: readonly LayerSpec[], area: Rect): LayersLayout {
  let chosen: { readonly fit: Fit; readonly lines: Lines } | undefined;
  for (const fit of FITS) {
    const lines = linesFor(specs, fit, area.width);
    if (!lines) continue;
    chosen = { fit, lines };
    if (heightOf(lines) <= area.height) break;
  }
  if (!chosen) return NO_LAYERS;
  const { fit, lines } = chosen;
  const layers: LayerLayout[] = [];
  let y = area.y;
  for (const line of lines) {
    // Width that is left over goes between the blocks, at most twice the usual gap.
    const used = line.reduce((sum, b) => sum + b.width, 0);
    const gap = line.length < 2 ? 0 : Math.min(2 * LAYER_GAP, (area.width - used) / (line.length - 1));
    let x = area.x;
    for (const block of line) {
      layers.push(placeBlock(block, x, y, fit));
      x += block.width + gap;
    }
    y += lineHeight(line) + LINE_GAP;
  }
  const width = Math.max(...layers.map((l) => right(l.label)), ...layers.map((l) => right(lastOf(l)))) - area.x;
  return { layers, cell: fit.cell, width, height: heightOf(lines) };
}

function lastOf({ values, gradients }: LayerLayout): Rect {
  const pair = gradients ?? values;
  return pair.bias ?? pair.weight;
}

/** The least height in which the layers fit a width with whole cells of `cell` pixels. */
export function layersHeight(specs: readonly LayerSpec[], width: number, cell: number): number {
  const crops = [16, 8, 4];
  for (const crop of crops) {
    const heights = [false, true].flatMap((stacked) => {
      const lines = linesFor(specs, { cell, crop, stacked }, width);
      return lines ? [heightOf(lines)] : [];
    });
    const least = Math.min(...heights);
    if (heights.length > 0 && (least < 160 || crop === 4)) return least;
  }
  return 120;
}
