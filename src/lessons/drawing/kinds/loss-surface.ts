/**
 * The drawing `loss-surface`: the loss of a net with two weights as a map, and the path of the training on it, step by
 * step, for several learning rates. Losses and steps are recorded at build (record/loss-surface.ts). Drawn in the
 * lesson on the batch size.
 */
import { must } from '../../../base/invariant';
import { write } from '../../facts/write';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text } from '../svg';

export interface Contour {
  readonly loss: number;
  /** Encloses all weights with a smaller loss; points are pairs of the two weights. */
  readonly outline: readonly (readonly [first: number, second: number])[];
}

export interface Rate {
  readonly lr: string;
  /** The weights and the loss before the first step and after each step. */
  readonly path: readonly (readonly [first: number, second: number, loss: number])[];
}

export interface DrawnSurface {
  readonly from: number;
  readonly to: number;
  /** The lowest loss on the map. */
  readonly lowest: number;
  readonly contours: readonly Contour[];
  readonly rates: readonly Rate[];
}

const MOST_SIDE = 400;
const MARGIN = 34;
const CURVE_HEIGHT = 190;

const surfaceOf = (data: unknown): DrawnSurface => must(data, 'a recorded surface') as DrawnSurface;
const tenth = (value: number): number => Math.round(10 * value) / 10;

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Spot = readonly [x: number, y: number];

const spotOf =
  ({ from, to }: DrawnSurface, { x, y, width, height }: Frame) =>
  (first: number, second: number): Spot => [
    tenth(x + (width * (first - from)) / (to - from)),
    tenth(y + height * (1 - (second - from) / (to - from))),
  ];

/** The part of the path inside the frame; if the path leaves the frame, it ends on the border. */
function insideOf({ x, y, width, height }: Frame, spots: readonly Spot[]): readonly Spot[] {
  const left = spots.findIndex(([ownX, ownY]) => ownX < x || ownX > x + width || ownY < y || ownY > y + height);
  const before = spots[left - 1];
  const out = spots[left];
  if (!before || !out) return spots;
  const shareUntil = (from: number, to: number, low: number, high: number): number =>
    to > high ? (high - from) / (to - from) : to < low ? (low - from) / (to - from) : 1;
  const share = Math.min(shareUntil(before[0], out[0], x, x + width), shareUntil(before[1], out[1], y, y + height));
  const border = (axis: 0 | 1): number => tenth(before[axis] + share * (out[axis] - before[axis]));
  return [...spots.slice(0, left), [border(0), border(1)]];
}

function map(surface: DrawnSurface, frame: Frame, path: Rate['path'], steps: number): readonly string[] {
  const spot = spotOf(surface, frame);
  const shown = insideOf(
    frame,
    path.slice(0, steps + 1).map(([first, second]) => spot(first, second)),
  );
  const { x, y, width, height } = frame;
  const last = shown.length - 1;
  return [
    shape('rect', { x, y, width, height, fill: 'var(--paper)' }),
    ...surface.contours.map(({ outline }) =>
      shape('path', {
        d: `${outline.map(([first, second], index) => `${index === 0 ? 'M' : 'L'}${spot(first, second).join(' ')}`).join('')}Z`,
        ...{
          fill: 'var(--phase-forward)',
          'fill-opacity': 0.13,
          stroke: 'var(--phase-forward-edge)',
          'stroke-width': 0.7,
        },
      }),
    ),
    ...shown.flatMap(([toX, toY], index) => {
      const before = shown[index - 1];
      if (!before) return [];
      return shape('line', {
        ...{ key: `step ${index}`, x1: before[0], y1: before[1], x2: toX, y2: toY },
        ...{ stroke: 'var(--bad)', 'stroke-width': 1.8 },
      });
    }),
    ...shown.map(([cx, cy], index) =>
      shape('circle', {
        ...{ key: `weights ${index}`, cx, cy, r: index === 0 || index === last ? 5 : 3.2 },
        ...{ fill: index === 0 ? 'var(--card)' : 'var(--bad)', stroke: 'var(--bad)', 'stroke-width': 1.5 },
      }),
    ),
    shape('rect', { x, y, width, height, fill: 'none', stroke: 'var(--line)' }),
    text('first weight →', { x: x + width, y: y + height + 17, 'text-anchor': 'end', fill: 'var(--soft)' }),
    text('↑ second weight', { x, y: y - 8, fill: 'var(--soft)' }),
  ];
}

/** The loss after each step, while it is within the scale. */
function curve(path: Rate['path'], steps: number, { x, y, width, height }: Frame): readonly string[] {
  const top = 2;
  const at = (index: number, loss: number): Spot => [
    tenth(x + (width * index) / (path.length - 1)),
    tenth(y + height * (1 - loss / top)),
  ];
  const spots = insideOf(
    { x, y, width, height },
    path.slice(0, steps + 1).map(([, , loss], index) => at(index, loss)),
  );
  const grid = [0, 0.5, 1, 1.5, 2].flatMap((loss) => [
    shape('line', { x1: x, x2: x + width, y1: at(0, loss)[1], y2: at(0, loss)[1], stroke: 'var(--hair)' }),
    text(String(loss), { x: x - 7, y: at(0, loss)[1] + 4, 'text-anchor': 'end', fill: 'var(--soft)' }),
  ]);
  return [
    ...grid,
    text('loss over all rows', { x, y: y - 10, fill: 'var(--soft)' }),
    text(`${path.length - 1} steps`, { x: x + width, y: y + height + 17, 'text-anchor': 'end', fill: 'var(--soft)' }),
    ...spots.flatMap(([toX, toY], index) => {
      const before = spots[index - 1];
      if (!before) return [];
      return shape('line', {
        ...{ key: `loss ${index}`, x1: before[0], y1: before[1], x2: toX, y2: toY },
        ...{ stroke: 'var(--bad)', 'stroke-width': 1.8 },
      });
    }),
    ...spots.map(([cx, cy], index) => shape('circle', { key: `point ${index}`, cx, cy, r: 2.6, fill: 'var(--bad)' })),
  ];
}

function saysOf({ lowest }: DrawnSurface, { lr, path }: Rate, steps: number): string {
  const losses = path.slice(0, steps + 1).map(([, , loss]) => loss);
  const [start = 0] = losses;
  const end = losses.at(-1) ?? start;
  const after = `After ${steps} ${steps === 1 ? 'step' : 'steps'} with a learning rate of ${lr} the loss is ${write(end, 'loss')}`;
  if (end > start) return `${after}, more than at the start: each step lands higher on the other side of the valley.`;
  if (turnsOf(path, steps) > 2) return `${after}. Each step overshoots and lands on the other side, a little lower.`;
  if (end > 1.2 * lowest)
    return `${after}. Every step goes down, but the steps are short, and the bottom is still far.`;
  return `${after}. The training has come to the bottom of the valley.`;
}

/** How many steps go against the previous step, as steps across a valley do. */
function turnsOf(path: Rate['path'], steps: number): number {
  const moves = path.slice(1, steps + 1).map(([first, second], index) => {
    const [beforeFirst = 0, beforeSecond = 0] = path[index] ?? [];
    return [first - beforeFirst, second - beforeSecond] as const;
  });
  return moves.filter(([first, second], index) => {
    const [beforeFirst = 0, beforeSecond = 0] = moves[index - 1] ?? [];
    return Math.hypot(first, second) > 0.1 && first * beforeFirst + second * beforeSecond < 0;
  }).length;
}

function draw({ settings, width, data }: DrawAsked): Drawn {
  const surface = surfaceOf(data);
  const rate = must(
    surface.rates.find(({ lr }) => lr === settings['lr']),
    'a recorded learning rate',
  );
  const steps = Number(settings['steps']);
  const isNarrow = width < 620;
  const side = Math.min(MOST_SIDE, isNarrow ? width - 2 : width * 0.45);
  const frame: Frame = { x: 1, y: MARGIN - 10, width: side, height: side };
  const beside: Frame = isNarrow
    ? { x: 30, y: frame.y + side + 62, width: width - 34, height: CURVE_HEIGHT - 40 }
    : { x: side + 74, y: frame.y + 40, width: width - side - 82, height: side - 120 };
  const says = saysOf(surface, rate, steps);
  const losses = rate.path.map(([, , loss]) => loss);
  return {
    svg: svg(
      { width, height: (isNarrow ? beside.y + beside.height : frame.y + side) + 26, label: says },
      ...map(surface, frame, rate.path, steps),
      ...curve(rate.path, steps, beside),
    ),
    says,
    values: [
      { id: 'start', label: 'loss before the first step', value: must(losses[0], 'a loss'), format: 'loss' },
      { id: 'loss', label: `loss after ${steps} steps`, value: must(losses[steps], 'a loss'), format: 'loss' },
    ],
    table: {
      head: ['learning rate', ...[0, 1, 2, 4, 8, 16].map((step) => (step === 0 ? 'start' : `step ${step}`))],
      rows: surface.rates.map(({ lr, path }) => [
        lr,
        ...[0, 1, 2, 4, 8, 16].map((step) => write(path[step]?.[2] ?? Number.NaN, 'loss')),
      ]),
    },
  };
}

export const kind: DrawingKind = {
  knobs: () => [
    { key: 'steps', label: 'Steps', values: Array.from({ length: 17 }, (_, step) => String(step)), play: true },
    { key: 'lr', label: 'Learning rate', values: ['0.2', '0.8', '1.6', '3.6', '4.2'] },
  ],
  start: () => ({ steps: '16', lr: '3.6' }),
  draw,
};
