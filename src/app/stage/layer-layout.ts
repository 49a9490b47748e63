/**
 * Sets the layers of a room in lines, as words are set: per layer its weight with the bias as a column, and the
 * gradients beside or under them. The cells are as large as they can be; when even small ones do not fit, matrices are
 * cropped further; when that would leave nothing to be seen, the layers are spread over pages, and the room turns to
 * the page on which the device works. Pure; called by room-layout.ts.
 */
import { type Rect, right } from '../draw/geometry';
import { type MatrixWindow, matrixWindow } from './matrix-window';

export interface LayerSpec {
  readonly weight: readonly number[];
  readonly bias: boolean;
  readonly gradients: boolean;
  /** The matrices of one layer stay in one line where that is possible: how many, on the first of them. */
  readonly together?: number;
}

/** A weight with its bias as a column on its right, or their gradients. */
export interface PairLayout {
  readonly weight: Rect;
  readonly bias: Rect | undefined;
}

export interface LayerLayout {
  readonly page: number;
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
  readonly pages: number;
  /** Layers whose matrices do not stand in one line. */
  readonly torn: number;
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
const SMALLEST_LABEL = 24;
const CELL_WITH_NOTE = 6;
const GRADIENT_LABEL = 26;
const NO_LAYERS: LayersLayout = { layers: [], pages: 1, torn: 0, cell: 0, width: 0, height: 0 };

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

/** Where the cells are small, the tooltip alone says what part is shown. */
const hasNote = (window: MatrixWindow, cell: number): boolean => window.label !== '' && cell >= CELL_WITH_NOTE;

function blockOf(spec: LayerSpec, { cell, crop, stacked }: Fit): Block {
  const window = matrixWindow(spec.weight, crop);
  const pairWidth = window.columns * cell + (spec.bias ? BESIDE + cell : 0);
  const pairs = spec.gradients ? 2 : 1;
  const mapHeight = window.rows * cell;
  const note = hasNote(window, cell) ? NOTE : 0;
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
  for (const [i, block] of blocks.entries()) {
    if (block.width > width) return undefined;
    const line = lines.at(-1);
    const own = blocks.slice(i, i + (block.spec.together ?? 1));
    const whole = own.reduce((sum, b) => sum + b.width, LAYER_GAP * (own.length - 1));
    const fits = used + LAYER_GAP + (whole <= width ? whole : block.width) <= width;
    if (line && fits) {
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
const CROPS = [12, 8];

/**
 * Large cells first; at one size gradients rather beside than under; a crop is given up only when small cells do not
 * fit.
 */
const FITS: readonly Fit[] = [
  ...CELLS.map((cell) => ({ cell, crop: 16 })),
  ...CROPS.flatMap((crop) => SMALL_CELLS.map((cell) => ({ cell, crop }))),
].flatMap((fit) => [false, true].map((stacked) => ({ ...fit, stacked })));

const linesFor = (layers: readonly LayerSpec[], fit: Fit, width: number): Lines | undefined =>
  setInLines(
    layers.map((spec) => blockOf(spec, fit)),
    width,
  );

/** On pages: rather all of a layer in one line than large cells. */
const PAGED: readonly Fit[] = [12, 8, 6]
  .flatMap((crop) => [8, 7, 6, 5, 4, 3].map((cell) => ({ cell, crop })))
  .flatMap((fit) => [false, true].map((stacked) => ({ ...fit, stacked })));
const CELL_ON_A_PAGE = 5;

function placeBlock(block: Block, x: number, y: number, { cell, stacked }: Fit, page: number): LayerLayout {
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
    page,
    label: { x, y, width: beside ? pairWidth + PAIR_GAP - 3 : block.width, height: LABEL },
    gradientLabel: beside ? { x: x + pairWidth + PAIR_GAP, y, width: pairWidth, height: LABEL } : undefined,
    window,
    values: pairAt(x, top),
    gradients: spec.gradients ? second : undefined,
    note: !hasNote(window, cell) ? undefined : { x, y: noteTop, width: block.width, height: NOTE },
  };
}

interface Chosen {
  readonly fit: Fit;
  readonly lines: Lines;
}

/** Everything at once, in the largest cells that fit. */
function onOnePage(specs: readonly LayerSpec[], area: Rect): Chosen | undefined {
  for (const fit of FITS) {
    const lines = linesFor(specs, fit, area.width);
    if (lines && heightOf(lines) <= area.height) return { fit, lines };
  }
  return undefined;
}

/** Lines of a page: as many as its height holds, one at least. */
function pagesOf(lines: Lines, height: number): readonly Lines[] {
  const pages: (readonly Block[])[][] = [];
  for (const line of lines) {
    const page = pages.at(-1);
    if (page && heightOf([...page, line]) <= height) page.push(line);
    else pages.push([line]);
  }
  return pages;
}

/** Layers whose matrices are torn over two lines. */
const tornIn = (lines: Lines): number =>
  lines.reduce((torn, line) => {
    let left = 0;
    for (const { spec } of line) left = Math.max(left - 1, (spec.together ?? 1) - 1);
    return torn + (left > 0 ? 1 : 0);
  }, 0);

/** The fit whose lines fit the height, with layers whole and on few pages; among those the largest cells. */
function onPages(specs: readonly LayerSpec[], area: Rect): Chosen | undefined {
  let best: (Chosen & { readonly loss: number }) | undefined;
  for (const fit of PAGED) {
    const lines = linesFor(specs, fit, area.width);
    if (!lines) continue;
    const over = Math.max(0, ...lines.map((line) => lineHeight(line) - area.height));
    const loss = 1000 * over + 100 * tornIn(lines) + pagesOf(lines, area.height).length;
    if (!best || loss < best.loss) best = { fit, lines, loss };
  }
  return best;
}

/** The layers in an area; one too low for a single line is exceeded. */
export function layoutLayers(specs: readonly LayerSpec[], area: Rect): LayersLayout {
  const whole = onOnePage(specs, area);
  const paged = whole && whole.fit.cell >= CELL_ON_A_PAGE ? undefined : onPages(specs, area);
  const chosen = paged ?? whole;
  if (!chosen) return NO_LAYERS;
  const { fit, lines } = chosen;
  const pages = chosen === whole ? [lines] : pagesOf(lines, area.height);
  const layers = pages.flatMap((page, index) => placeLines(page, area, fit, index));
  const width = Math.max(...layers.map((l) => right(l.label)), ...layers.map((l) => right(lastOf(l)))) - area.x;
  return {
    layers,
    pages: pages.length,
    torn: tornIn(lines),
    cell: fit.cell,
    width,
    height: Math.max(...pages.map(heightOf)),
  };
}

function placeLines(lines: Lines, area: Rect, fit: Fit, page: number): readonly LayerLayout[] {
  const layers: LayerLayout[] = [];
  let y = area.y;
  for (const line of lines) {
    // Width that is left over goes between the blocks, at most twice the usual gap.
    const used = line.reduce((sum, b) => sum + b.width, 0);
    const gap = line.length < 2 ? 0 : Math.min(2 * LAYER_GAP, (area.width - used) / (line.length - 1));
    let x = area.x;
    for (const block of line) {
      layers.push(placeBlock(block, x, y, fit, page));
      x += block.width + gap;
    }
    y += lineHeight(line) + LINE_GAP;
  }
  return layers;
}

function lastOf({ values, gradients }: LayerLayout): Rect {
  const pair = gradients ?? values;
  return pair.bias ?? pair.weight;
}

/** More than that is for pages, each of which needs about this. */
const PAGE_HEIGHT = 112;

/** The least height in which the layers fit a width with whole cells of `cell` pixels. */
export function layersHeight(specs: readonly LayerSpec[], width: number, cell: number): number {
  const crops = [16, 8];
  for (const crop of crops) {
    const heights = [false, true].flatMap((stacked) => {
      const lines = linesFor(specs, { cell, crop, stacked }, width);
      return lines ? [heightOf(lines)] : [];
    });
    const least = Math.min(...heights);
    if (heights.length > 0 && least < 160) return least;
  }
  return PAGE_HEIGHT;
}
