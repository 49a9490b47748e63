/**
 * The losses that compare elements: prediction beside target, row by row, and each row's term of the loss, or the
 * gradient that backward starts with. The picture computes the terms from prediction and target by the loss's formula;
 * the mean below them is the loss in the trace.
 */
import { lookup } from '../../../base/lookup';
import { formatValue } from '../../draw/canvas-numbers';
import { formatTick } from '../../draw/format';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed, LINE } from './places';
import type { Sketch } from './sketch';
import { mostOf, rangeOf, rowsOf } from './tensors';

type Term = (x: number, t: number, parameter: number, posWeight: number) => number;

const TERMS: ReadonlyMap<string, Term> = new Map<string, Term>([
  ['mse', (x, t) => (x - t) ** 2],
  ['l1', (x, t) => Math.abs(x - t)],
  ['smooth-l1', (x, t, beta) => (Math.abs(x - t) < beta ? (0.5 * (x - t) ** 2) / beta : Math.abs(x - t) - 0.5 * beta)],
  ['huber', (x, t, delta) => (Math.abs(x - t) < delta ? 0.5 * (x - t) ** 2 : delta * (Math.abs(x - t) - 0.5 * delta))],
  [
    'bce-with-logits',
    (x, t, _, weight) => (1 - t) * x + (1 + (weight - 1) * t) * (Math.log1p(Math.exp(-Math.abs(x))) + Math.max(-x, 0)),
  ],
  ['bce', (x, t) => -(t * Math.max(-100, Math.log(x)) + (1 - t) * Math.max(-100, Math.log(1 - x)))],
]);

const BY_TYPE: Readonly<Record<string, string>> = {
  MSELoss: 'mse',
  L1Loss: 'l1',
  SmoothL1Loss: 'smooth-l1',
  HuberLoss: 'huber',
  BCEWithLogitsLoss: 'bce-with-logits',
};

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const ROW = { least: 13, most: 24, printed: 15 };

interface Compared {
  readonly x: DrawnOperand;
  readonly target: DrawnOperand;
  /** The gradient, in backward. */
  readonly gradient: DrawnOperand | undefined;
  readonly loss: DrawnOperand | undefined;
  readonly term: Term;
  /** The difference at which the parabola becomes a line (beta, delta). */
  readonly parameter: number;
  /** One factor per output, or one for all. */
  readonly posWeights: readonly number[];
  readonly logits: boolean;
}

function compared({ event, reads, writes, info }: Operation): Compared | undefined {
  const [x, target] = reads;
  if (!x || !target) return undefined;
  const { loss } = info.config;
  const own = event.name.startsWith('loss/') ? event.name.slice(5).replace(/-grad$/, '') : lookup(BY_TYPE, loss.type);
  const term = TERMS.get(own ?? '');
  if (!term) return undefined;
  return {
    x,
    target,
    gradient: writes.find((w) => w.buffer.endsWith('.grad')),
    loss: writes.find((w) => !w.buffer.endsWith('.grad') && w.shape.length === 1 && w.shape[0] === 1),
    term,
    parameter: loss.type === 'SmoothL1Loss' ? loss.beta : loss.type === 'HuberLoss' ? loss.delta : 1,
    posWeights: loss.type === 'BCEWithLogitsLoss' ? (loss.posWeight ?? []) : [],
    logits: own === 'bce-with-logits',
  };
}

/** Each row's term, before the mean; undefined for unknown rows. */
function termsOf(
  { x, target, term, parameter, posWeights }: Compared,
  shown: number,
  width: number,
): readonly (number | undefined)[] {
  return Array.from({ length: shown }, (_, r) => {
    let sum = 0;
    for (let i = r * width; i < (r + 1) * width; i++) {
      const [a, b] = [x.values?.[i], target.values?.[i]];
      if (a === undefined || b === undefined) return undefined;
      sum += term(a, b, parameter, posWeights[i % Math.max(1, posWeights.length)] ?? 1);
    }
    return sum / width;
  });
}

interface Rows {
  readonly shown: number;
  readonly total: number;
  readonly width: number;
  readonly height: number;
  readonly top: number;
}

export const elementLoss: OperatorPicture = {
  name: 'element-loss',
  operators: [...[...TERMS.keys()].flatMap((name) => [`loss/${name}`, `loss/${name}-grad`]), 'fused/element-loss'],
  shows:
    'prediction beside target, row by row, and what each row adds to the mean; in backward the gradient of each row',
  draw(operation, sketch) {
    const found = compared(operation);
    if (!found) return;
    const { area, detail } = operation;
    const words = detail !== 'least';
    const { foot, body } = footed(area, words && !(found.gradient && !found.loss));
    const { caption, body: rowsAt } = captioned(body, words);
    const { rows: total, columns: width, known } = rowsOf(found.x);
    const shown = Math.max(1, Math.min(total, known, Math.floor(rowsAt.height / ROW.least)));
    const height = Math.min(ROW.most, rowsAt.height / shown);
    const at: Rows = { shown, total, width, height, top: rowsAt.y + (rowsAt.height - shown * height) / 2 };
    const parts =
      detail === 'full' && width === 1
        ? { shares: [0.8, 0.8, 2.4, 2], axis: true }
        : { shares: width === 1 ? [0.8, 0.8, 2.2] : [2, 2, 1.8], axis: false };
    const places = columns(rowsAt, parts.shares, detail === 'full' ? 14 : 6);
    const [predicted, wanted] = [places[0] ?? rowsAt, places[1] ?? rowsAt];
    const bars = places.at(-1) ?? rowsAt;
    const heads = (i: number) => ({ ...caption, x: places[i]?.x ?? 0, width: (places[i]?.width ?? 0) + 4 });
    pair(sketch, found.x, predicted, at, `prediction`);
    pair(sketch, found.target, wanted, at, 'target');
    if (words) {
      sketch.word(heads(0), [found.logits ? 'logit' : 'prediction', 'output', 'y']);
      sketch.word(heads(1), ['target', 't']);
    }
    if (parts.axis) {
      axis(sketch, found, places[2] ?? rowsAt, at);
      sketch.word(heads(2), [
        found.logits ? 'σ(logit) ● to target |, from 0 to 1' : 'prediction ● to target |',
        'prediction ● to target |',
        '● to |',
      ]);
    }
    if (found.gradient) gradientBars(sketch, found.gradient, bars, at);
    else termBars(sketch, found, termsOf(found, shown, width), bars, at);
    if (!words) return;
    const head = heads(places.length - 1);
    if (found.gradient) sketch.word(head, ['gradient, per row', 'gradient', 'δ'], { tone: 'ink' });
    else sketch.word(head, ['what each row adds', 'adds', '+'], { tone: 'ink' });
    const of = shown < total ? `rows 0 to ${shown - 1} of ${total}; ` : '';
    const loss = found.loss?.values?.[0];
    const mean = operation.info.config.loss.reduction === 'sum' ? 'sum' : 'mean';
    if (found.loss)
      sketch.word(
        foot,
        [
          loss === undefined
            ? `${of}${mean} of all rows: the loss`
            : `${of}${mean} of all ${total} rows: loss ${formatValue(loss)}`,
          loss === undefined ? 'the loss' : `loss ${formatValue(loss)}`,
        ],
        { tone: 'ink' },
      );
    said(operation, sketch, found, at);
  },
};

/** Draws a column of cells, one per row of the batch. */
function pair(
  sketch: Sketch,
  operand: DrawnOperand,
  place: { x: number; width: number },
  at: Rows,
  what: string,
): void {
  const across = Math.min(at.width, Math.max(1, Math.floor(place.width / 3)));
  const rect = { x: place.x, y: at.top, width: place.width, height: at.shown * at.height };
  sketch.map(operand, rect, { offset: 0, stride: at.width, rows: at.shown, columns: across }, what);
}

/** Draws each row as a line from prediction to target. */
function axis(sketch: Sketch, { x, target, logits }: Compared, place: { x: number; width: number }, at: Rows): void {
  const of = (operand: DrawnOperand, r: number): number | undefined => operand.values?.[r];
  const predicted = (r: number): number | undefined => {
    const value = of(x, r);
    return value === undefined || !logits ? value : sigmoid(value);
  };
  const all = Array.from({ length: at.shown }, (_, r) => [predicted(r), of(target, r)]).flat();
  const [low, high] = logits ? [0, 1] : rangeOf(all.flatMap((v) => v ?? []));
  const span = high - low || 1;
  const inset = 5;
  const xOf = (value: number): number =>
    place.x + inset + ((value - low) / span) * Math.max(0, place.width - 2 * inset);
  for (let r = 0; r < at.shown; r++) {
    const y = at.top + (r + 0.5) * at.height;
    sketch.line(
      [
        { x: place.x, y },
        { x: place.x + place.width, y },
      ],
      'line',
      { below: true },
    );
    const [p, t] = [predicted(r), of(target, r)];
    if (p === undefined || t === undefined || !Number.isFinite(p)) continue;
    sketch.line(
      [
        { x: xOf(p), y },
        { x: xOf(t), y },
      ],
      'loss',
      { width: 2 },
    );
    const reach = Math.min(6, at.height * 0.36);
    sketch.line(
      [
        { x: xOf(t), y: y - reach },
        { x: xOf(t), y: y + reach },
      ],
      'data',
      { width: 2.5 },
    );
    sketch.dots([{ x: xOf(p), y }], Math.min(4, at.height * 0.28), 'activation');
  }
}

function termBars(
  sketch: Sketch,
  found: Compared,
  terms: readonly (number | undefined)[],
  place: { readonly x: number; readonly width: number },
  at: Rows,
): void {
  const loss = found.loss?.values?.[0];
  const most = Math.max(mostOf(terms.flatMap((t) => t ?? [])), loss ?? 0) || 1;
  const prints = place.width >= 90 && at.height >= ROW.printed - 3;
  const wide = place.width - (prints ? 44 : 0);
  terms.forEach((term, r) => {
    const rect = { x: place.x, y: at.top + r * at.height + at.height * 0.14, width: wide, height: at.height * 0.72 };
    sketch.box(rect, { fill: 'track', below: true });
    // The rows' terms appear together with the loss.
    if (term === undefined || loss === undefined || !Number.isFinite(term)) return;
    sketch.box({ ...rect, width: Math.max(1, (wide * term) / most) }, { fill: 'loss' });
    if (prints)
      sketch.word(
        { x: place.x + wide + 4, y: at.top + r * at.height + at.height / 2 - LINE / 2 + 1, width: 42, height: LINE },
        [formatTick(term), ''],
        { tone: 'ink' },
      );
  });
  if (loss === undefined || found.loss === undefined || !Number.isFinite(loss)) return;
  const x = place.x + Math.min(1, loss / most) * wide;
  sketch.line(
    [
      { x, y: at.top - 2 },
      { x, y: at.top + at.shown * at.height + 2 },
    ],
    'ink',
    { width: 1.5, dash: [4, 3] },
  );
}

/** Draws bars: to the right for positive gradients, to the left for negative ones. */
function gradientBars(sketch: Sketch, gradient: DrawnOperand, place: { x: number; width: number }, at: Rows): void {
  const rect = { x: place.x, y: at.top, width: place.width, height: at.shown * at.height };
  if (at.width > 1) {
    pair(sketch, gradient, place, at, 'gradient');
    return;
  }
  const cell = Math.min(46, place.width * 0.36);
  sketch.map(gradient, { ...rect, width: cell }, { offset: 0, stride: 1, rows: at.shown, columns: 1 }, 'gradient');
  const wide = place.width - cell - 8;
  const x = place.x + cell + 8 + wide / 2;
  sketch.line(
    [
      { x, y: at.top },
      { x, y: at.top + rect.height },
    ],
    'line',
  );
  const most = mostOf(gradient.values?.subarray(0, at.shown) ?? []) || 1;
  for (let r = 0; r < at.shown; r++) {
    const value = gradient.values?.[r];
    if (value === undefined || !Number.isFinite(value)) continue;
    const reach = (Math.abs(value) / most) * (wide / 2);
    sketch.box(
      {
        x: value < 0 ? x - reach : x,
        y: at.top + (r + 0.2) * at.height,
        width: Math.max(1, reach),
        height: at.height * 0.6,
      },
      { fill: value < 0 ? 'negative' : 'positive' },
    );
  }
}

function said({ event }: Operation, sketch: Sketch, found: Compared, at: Rows): void {
  const row = (r: number): string => {
    const [p, t] = [found.x.values?.[r * at.width], found.target.values?.[r * at.width]];
    if (p === undefined || t === undefined) return `row ${r}: not computed yet`;
    const g = found.gradient?.values?.[r * at.width];
    const more = g === undefined ? '' : `, gradient ${formatValue(g)}`;
    return `row ${r}: prediction ${formatValue(p)}, target ${formatValue(t)}${more}`;
  };
  sketch.say(`${event.name}: ${Array.from({ length: Math.min(4, at.shown) }, (_, r) => row(r)).join('; ')}`);
}
