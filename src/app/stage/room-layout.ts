/**
 * Where things lie inside a room: title, layers (weight, bias and their gradients), chunk tiles of the bucket, memory bar. Pure: the cell
 * size is the largest at which all layers fit; when even small cells do not, matrices are cropped further. Called by the scene.
 */
import type { Rect } from '../draw/geometry';
import { type MatrixWindow, matrixWindow } from './matrix-window';

export interface LayerSpec {
  readonly module: string;
  readonly weight: readonly number[];
  readonly bias: boolean;
  readonly gradients: boolean;
}

export interface RoomSpec {
  readonly layers: readonly LayerSpec[];
  /** Chunk tiles of the bucket that is shown; 0: no bucket. */
  readonly chunks: number;
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

export interface RoomLayout {
  readonly header: Rect;
  readonly layers: readonly LayerLayout[];
  readonly bucket:
    | { readonly label: Rect; readonly tiles: readonly Rect[]; readonly captionHeight: number }
    | undefined;
  readonly memory: { readonly bar: Rect; readonly label: Rect };
}

const LABEL = 16;
const NOTE = 14;
const BESIDE = 4;
const PAIR_GAP = 7;
const LAYER_GAP = 14;
const ROW_GAP = 8;
const TILE = 26;
const CAPTION = 15;
const SMALLEST_LABEL = 34;
const GRADIENT_LABEL = 26;

export const padding = (compact: boolean): number => (compact ? 9 : 16);
const headerHeight = (compact: boolean): number => (compact ? 36 : 42);

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

/** Blocks in lines, as words are set; undefined when a block is wider than the line. */
function setInLines(blocks: readonly Block[], width: number): readonly (readonly Block[])[] | undefined {
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
const linesHeight = (lines: readonly (readonly Block[])[]): number =>
  lines.reduce((sum, line) => sum + lineHeight(line), 0) + ROW_GAP * Math.max(0, lines.length - 1);

const CROPS = [16, 12, 8, 6, 4];
const CELLS = [18, 16, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5];

/** Large cells first; a crop is given up only when cells of five pixels do not fit. */
function fits(): readonly Fit[] {
  const whole = CELLS.flatMap((cell) => [false, true].map((stacked) => ({ cell, stacked, crop: 16 })));
  const cropped = CROPS.slice(1).flatMap((crop) =>
    [7, 6, 5, 4].flatMap((cell) => [false, true].map((stacked) => ({ cell, stacked, crop }))),
  );
  return [...whole, ...cropped];
}

function placeLayers(layers: readonly LayerSpec[], area: Rect): readonly LayerLayout[] {
  const tried = fits().map((fit) => ({
    fit,
    lines: setInLines(
      layers.map((spec) => blockOf(spec, fit)),
      area.width,
    ),
  }));
  const chosen =
    tried.find(({ lines }) => lines && linesHeight(lines) <= area.height) ??
    tried.findLast(({ lines }) => lines !== undefined);
  if (!chosen?.lines) return [];
  const { fit, lines } = chosen;
  const result: LayerLayout[] = [];
  // Room that is left over goes between the blocks, at most twice the usual gap.
  let y = area.y;
  for (const line of lines) {
    const used = line.reduce((sum, b) => sum + b.width, 0);
    const gap = line.length < 2 ? 0 : Math.min(2 * LAYER_GAP, (area.width - used) / (line.length - 1));
    let x = area.x;
    for (const block of line) {
      result.push(placeBlock(block, x, y, fit));
      x += block.width + gap;
    }
    y += lineHeight(line) + ROW_GAP;
  }
  return result;
}

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
    label: { x, y, width: beside ? pairWidth + PAIR_GAP - 4 : block.width, height: LABEL },
    gradientLabel: beside ? { x: x + pairWidth + PAIR_GAP, y, width: pairWidth, height: LABEL } : undefined,
    window,
    values: pairAt(x, top),
    gradients: spec.gradients ? second : undefined,
    note: window.label === '' ? undefined : { x, y: noteTop, width: block.width, height: NOTE },
  };
}

function tilesOf(chunks: number, area: Rect): readonly Rect[] {
  const gap = area.width / chunks < 34 ? 3 : 5;
  const perLine = Math.min(chunks, Math.max(1, Math.floor((area.width + gap) / (24 + gap))));
  const lines = Math.ceil(chunks / perLine);
  const inLine = Math.ceil(chunks / lines);
  const width = (area.width - gap * (inLine - 1)) / inLine;
  return Array.from({ length: chunks }, (_, c) => ({
    x: area.x + (c % inLine) * (width + gap),
    y: area.y + Math.floor(c / inLine) * (TILE + CAPTION),
    width,
    height: TILE,
  }));
}

export function layoutRoom(room: Rect, spec: RoomSpec, compact: boolean): RoomLayout {
  const pad = padding(compact);
  const x = room.x + pad;
  const width = room.width - 2 * pad;
  const header = { x, y: room.y + (compact ? 7 : 10), width, height: headerHeight(compact) };
  const bar = { x, y: room.y + room.height - (compact ? 26 : 32), width, height: 6 };
  const memory = { bar, label: { x, y: bar.y + 6, width, height: CAPTION } };
  const tiles = spec.chunks > 0 ? tilesOf(spec.chunks, { x, y: 0, width, height: 0 }) : [];
  const tilesHeight = spec.chunks > 0 ? Math.max(...tiles.map((t) => t.y)) + TILE + CAPTION + LABEL : 0;
  const tilesTop = bar.y - 8 - tilesHeight;
  const layersTop = header.y + header.height + (compact ? 2 : 6);
  const layersArea = { x, y: layersTop, width, height: (spec.chunks > 0 ? tilesTop : bar.y) - 8 - layersTop };
  const bucket =
    spec.chunks > 0
      ? {
          label: { x, y: tilesTop, width, height: LABEL },
          tiles: tiles.map((t) => ({ ...t, y: t.y + tilesTop + LABEL })),
          captionHeight: CAPTION,
        }
      : undefined;
  return { header, layers: placeLayers(spec.layers, layersArea), bucket, memory };
}

/** The height at which a room of that width shows its layers with cells of `cell` pixels. */
export function roomHeight(spec: RoomSpec, width: number, compact: boolean, cell: number): number {
  const inner = width - 2 * padding(compact);
  const heights = [false, true].flatMap((stacked) => {
    const lines = setInLines(
      spec.layers.map((layer) => blockOf(layer, { cell, crop: cell < 7 ? 8 : 16, stacked })),
      inner,
    );
    return lines ? [linesHeight(lines)] : [];
  });
  const layers = spec.layers.length === 0 ? 0 : heights.length > 0 ? Math.min(...heights) : 90;
  const lowest = layoutRoom({ x: 0, y: 0, width, height: 0 }, { ...spec, layers: [] }, compact);
  const top = lowest.bucket?.label.y ?? lowest.memory.bar.y;
  return layers + lowest.header.y + lowest.header.height + 8 + 8 + (compact ? 2 : 6) - top;
}

/** For tests: everything that is drawn in a room. */
export function rectsOf(layout: RoomLayout): readonly Rect[] {
  const pair = (p: PairLayout | undefined) => (p ? [p.weight, ...(p.bias ? [p.bias] : [])] : []);
  const layers = layout.layers.flatMap((l) => [
    l.label,
    ...pair(l.values),
    ...pair(l.gradients),
    ...(l.note ? [l.note] : []),
  ]);
  const tiles = layout.bucket ? [layout.bucket.label, ...layout.bucket.tiles] : [];
  return [layout.header, ...layers, ...tiles, layout.memory.bar, layout.memory.label];
}
