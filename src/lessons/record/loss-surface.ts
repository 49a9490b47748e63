/**
 * Computes the data of the drawing `loss-surface` with the engine: losses of a net with two weights at every point of a
 * grid, kept as contours, and the weights after each step of trainings with different learning rates.
 */

import { must } from '../../base/invariant';
import { type LossSurface, lossSurface } from '../../inference/loss-surface';
import type { Contour, DrawnSurface, Rate } from '../drawing/kinds/loss-surface';
import type { Recorded } from './record-run';

const SQUARE = { from: -1, to: 4, cells: 60 };
const STEPS = 16;
const DIRECTIONS = 96;
/** Highest first: the drawing puts lower levels on top. */
const LEVELS = [2.8, 2, 1.4, 0.95, 0.65, 0.45, 0.3, 0.2, 0.15];

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

/** The runs are named by their learning rates. All begin with the same weights, data and loss. */
export async function surfaces(runs: ReadonlyMap<string, Recorded>): Promise<DrawnSurface> {
  const rates: Rate[] = [];
  let losses: LossSurface['losses'] = [];
  for (const [lr, { store }] of runs) {
    // All rates have the same loss surface, so only one rate computes it.
    const square = losses.length > 0 ? { ...SQUARE, cells: 1 } : SQUARE;
    const surface = await lossSurface(store.getState().config, square, STEPS);
    if (losses.length === 0) losses = surface.losses;
    rates.push({
      lr,
      path: surface.path.map(({ weights: [first, second], loss }) => [round(first, 3), round(second, 3), loss]),
    });
  }
  const { from, to } = SQUARE;
  const lowest = Math.min(...losses.flat());
  const contours = LEVELS.map((loss) => ({ loss, outline: outlineOf(losses, loss) }));
  return { from, to, lowest, contours, rates };
}

/**
 * Encloses all weights with a loss below `level`: goes from the lowest point in every direction until the loss reaches
 * the level, or to the border. One distance per direction is enough, because the loss of a linear layer is convex.
 */
export function outlineOf(losses: LossSurface['losses'], level: number): Contour['outline'] {
  const { from, to, cells } = SQUARE;
  const place = (index: number): number => round(from + (index * (to - from)) / cells, 3);
  const lowest = Math.min(...losses.flat());
  const row = losses.findIndex((own) => own.includes(lowest));
  const column = must(losses[row], 'a row').indexOf(lowest);
  return Array.from({ length: DIRECTIONS }, (_, index) => {
    const turn = (2 * Math.PI * index) / DIRECTIONS;
    const at = (distance: number): readonly [x: number, y: number] => [
      column + distance * Math.cos(turn),
      row + distance * Math.sin(turn),
    ];
    let distance = 0;
    for (let step = 8; step > 0.01; step /= 2) while (lossAt(losses, ...at(distance + step)) < level) distance += step;
    const [x, y] = at(distance);
    return [place(x), place(y)];
  });
}

/** Bilinear interpolation between four points of the grid; infinite outside the grid. */
function lossAt(losses: LossSurface['losses'], x: number, y: number): number {
  const { cells } = SQUARE;
  if (x < 0 || y < 0 || x > cells || y > cells) return Number.POSITIVE_INFINITY;
  const [left, below] = [Math.min(Math.floor(x), cells - 1), Math.min(Math.floor(y), cells - 1)];
  const point = (across: number, up: number): number => must(losses[below + up]?.[left + across], 'a loss');
  const [right, above] = [x - left, y - below];
  const lower = point(0, 0) * (1 - right) + point(1, 0) * right;
  const upper = point(0, 1) * (1 - right) + point(1, 1) * right;
  return lower * (1 - above) + upper * above;
}
