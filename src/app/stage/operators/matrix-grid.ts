/**
 * Many tensors of a model in a grid that fills its area: each as its first rows and columns, on a scale of its own if
 * the scale of its kind would show it white, with its layer's name above it.
 */
import type { Rect } from '../../draw/geometry';
import { matrixWindow } from '../matrix-window';
import type { DrawnOperand } from './drawn';
import { LINE } from './places';
import type { Sketch } from './sketch';
import { cellsOf, onScale } from './tensors';

const GAP = 8;
const CROP = 16;
/** Tiles look best this many times wider than high. */
const ASPECT = 1.5;
const SMALLEST = { width: 22, height: 20 };
/** The least height of a tile that has a name, and the least width. */
const NAMED = { width: 30, height: 30 };

interface Grid {
  readonly across: number;
  readonly width: number;
  readonly height: number;
}

function gridOf(count: number, area: Rect): Grid {
  let best: Grid = { across: 1, width: 0, height: 0 };
  for (let across = 1; across <= count; across++) {
    const down = Math.ceil(count / across);
    const width = (area.width - GAP * (across - 1)) / across;
    const height = (area.height - GAP * (down - 1)) / down;
    if (Math.min(width / ASPECT, height) > Math.min(best.width / ASPECT, best.height)) best = { across, width, height };
  }
  return best;
}

/** 'blocks.0.qkv.weight', then shorter: its layer, and the last part of its layer's name. */
export function layerTexts(buffer: string): readonly string[] {
  const whole = buffer.replace('unsharded.', '').replace(/\.grad$/, '');
  const layer = whole.replace(/\.weight$/, '');
  return [whole, layer, layer.split('.').at(-1) ?? '', ''];
}

/** Draws as many of the tensors as the area has place for, from the first on, and returns their number. */
export function matrixGrid(sketch: Sketch, area: Rect, operands: readonly DrawnOperand[]): number {
  let count = operands.length;
  let grid = gridOf(count, area);
  while (count > 1 && (grid.width < SMALLEST.width || grid.height < SMALLEST.height)) {
    count -= 1;
    grid = gridOf(count, area);
  }
  const label = grid.height >= NAMED.height && grid.width >= NAMED.width ? LINE + 1 : 0;
  operands.slice(0, count).forEach((own, i) => {
    const { operand, note } = onScale(own);
    const x = area.x + (i % grid.across) * (grid.width + GAP);
    const y = area.y + Math.floor(i / grid.across) * (grid.height + GAP);
    const window = matrixWindow(operand.shape, CROP);
    const free = grid.height - label;
    // Filters are square; other matrices fill their tiles.
    const cell = Math.min(grid.width / window.columns, free / window.rows);
    const [width, height] = window.tiles ? [cell * window.columns, cell * window.rows] : [grid.width, free];
    if (label > 0) {
      const texts = layerTexts(operand.buffer);
      sketch.word({ x, y, width: grid.width + GAP - 4, height: LINE }, [`${texts[0]}${note}`, ...texts]);
    }
    sketch.map(operand, { x, y: y + label, width, height }, cellsOf(window));
  });
  return count;
}
