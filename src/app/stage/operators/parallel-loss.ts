/**
 * Cross-entropy over classes that a tensor group shares, in three stages: the rank's logits at their place among all
 * classes, row by row, with the largest framed; exp(logit − max) in the same cells, with a frame around the right class
 * if the rank has it; each row's term of the loss, from the sums of all ranks. Beside the cells is each row's number
 * that the ranks reduce.
 */
import { formatValue } from '../../draw/canvas-numbers';
import type { Rect } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed } from './places';
import type { Sketch } from './sketch';
import { mostOf, onScale, rowsOf } from './tensors';

const ROW = { least: 7, most: 24 };

interface Logits {
  readonly operand: DrawnOperand;
  /** The number of classes of this rank, and of all ranks; the index of this rank's first class. */
  readonly own: number;
  readonly all: number;
  readonly first: number;
  /** The number of rows drawn. */
  readonly shown: number;
  readonly total: number;
}

function logitsOf(operand: DrawnOperand, height: number): Logits {
  const own = operand.shape.at(-1) ?? 1;
  const { part, dim = operand.shape.length - 1 } = operand.cut ?? {};
  const { rows: total, known } = rowsOf(operand);
  return {
    operand,
    own,
    all: part?.shape[dim] ?? own,
    first: part?.ranges[dim]?.[0]?.start ?? 0,
    shown: Math.max(1, Math.min(total, known, Math.floor(height / ROW.least))),
    total,
  };
}

const valueAt = ({ operand, own }: Logits, row: number, c: number): number | undefined =>
  operand.values?.[row * own + c];

/** The column of the largest logit of a row. */
function largestIn(logits: Logits, row: number): number | undefined {
  let best: number | undefined;
  for (let c = 0; c < logits.own; c++) {
    const v = valueAt(logits, row, c);
    if (v !== undefined && (best === undefined || v > (valueAt(logits, row, best) ?? v))) best = c;
  }
  return best;
}

export const parallelLoss: OperatorPicture = {
  name: 'parallel-loss',
  operators: ['loss/parallel-max', 'loss/parallel-sums', 'loss/parallel-loss'],
  shows: 'the rank’s logits among all classes, and for each row the number that the ranks reduce',
  draw(operation, sketch) {
    const { event, area, detail, reads, writes } = operation;
    const [x] = reads;
    if (!x) return;
    const words = detail !== 'least';
    const { foot, body } = footed(area, words);
    const { caption, body: at } = captioned(body, words);
    const logits = logitsOf(x, at.height);
    const height = Math.min(ROW.most, at.height / logits.shown);
    const top = at.y + (at.height - logits.shown * height) / 2;
    const [cellsAt = at, beside = at] = columns(at, [2.4, 1], detail === 'full' ? 16 : 6);
    const place = { x: cellsAt.x, y: top, width: cellsAt.width, height: logits.shown * height };
    const captions = [
      { ...caption, x: cellsAt.x, width: cellsAt.width },
      { ...caption, x: beside.x, width: beside.width },
    ] as const;
    const side = { ...beside, y: top, height: place.height };
    const share = `classes ${logits.first}–${logits.first + logits.own - 1} of ${logits.all}`;
    const say = (texts: readonly string[], result: readonly string[], below: readonly string[]) => {
      if (!words) return;
      sketch.word(captions[0], texts);
      sketch.word(captions[1], result, { tone: 'ink' });
      sketch.word(foot, below);
    };
    outline(sketch, logits, place);
    switch (event.name) {
      case 'loss/parallel-max':
        cells(sketch, logits, place, undefined);
        frames(sketch, logits, place, (row) => largestIn(logits, row));
        numbers(sketch, writes[0], logits.shown, side);
        say(
          [`logits, ${share}, the largest framed`, `logits, ${share}`, 'logits'],
          ['largest of this rank', 'largest'],
          ['the all-reduce keeps the largest logit of all ranks', 'all-reduce: the largest of all ranks'],
        );
        break;
      case 'loss/parallel-sums':
        cells(sketch, logits, place, reads[2]);
        frames(sketch, logits, place, (row) => ownLabel(logits, reads[1], row));
        numbers(sketch, writes[0], logits.shown, side);
        say(
          [`exp(logit − max), ${share}, the target framed`, `exp(logit − max), ${share}`, 'exp(logit − max)'],
          ['sum: an addend', 'sum'],
          [
            'the all-reduce adds the sums of all ranks, and the logit of the target',
            'all-reduce: the sum of all ranks',
          ],
        );
        break;
      default:
        cells(sketch, logits, place, reads[3]);
        frames(sketch, logits, place, (row) => ownLabel(logits, reads[2], row));
        adds(sketch, operation, logits.shown, side);
        say(
          [`exp(logit − max), ${share}, the target framed`, `exp(logit − max), ${share}`, 'exp(logit − max)'],
          ['adds log(sum) − logit', 'adds'],
          lossWords(operation, logits),
        );
    }
    sketch.say(`${event.name}: the rank has ${share} of ${logits.total} rows`);
  },
};

/** Outlines all classes; the place of other ranks' classes stays empty. */
function outline(sketch: Sketch, { own, all }: Logits, place: Rect): void {
  if (own < all) sketch.box(place, { stroke: 'soft', dash: [3, 3] });
}

const ownPlace = ({ first, own, all }: Logits, place: Rect): Rect => ({
  ...place,
  x: place.x + (place.width * first) / all,
  width: (place.width * own) / all,
});

/** Draws the logits, or, given each row's largest logit, exp(logit − max). */
function cells(sketch: Sketch, logits: Logits, place: Rect, max: DrawnOperand | undefined): void {
  const { operand, own, shown } = logits;
  const grid = { offset: 0, stride: own, rows: shown, columns: own };
  if (!max) {
    sketch.map(onScale(operand).operand, ownPlace(logits, place), grid);
    return;
  }
  const { values } = operand;
  const powers =
    values && max.values
      ? Float32Array.from({ length: shown * own }, (_, i) =>
          Math.exp((values[i] ?? 0) - (max.values?.[Math.floor(i / own)] ?? 0)),
        )
      : undefined;
  const title = `exp(logit − max) of ${operand.name}`;
  const made = { title, values: powers, end: 1, shape: [shown, own], made: false };
  sketch.derived('powers', made, ownPlace(logits, place), grid);
}

function ownLabel({ own, first }: Logits, labels: DrawnOperand | undefined, row: number): number | undefined {
  const label = labels?.values?.[row];
  return label === undefined || label < first || label >= first + own ? undefined : label - first;
}

function frames(sketch: Sketch, logits: Logits, place: Rect, columnOf: (row: number) => number | undefined): void {
  const { x, y, width, height } = ownPlace(logits, place);
  const cell = { width: width / logits.own, height: height / logits.shown };
  for (let row = 0; row < logits.shown; row++) {
    const c = columnOf(row);
    if (c !== undefined)
      sketch.box({ x: x + c * cell.width, y: y + row * cell.height, ...cell }, { stroke: 'ink', lineWidth: 1.5 });
  }
}

/** Draws one number per row. */
function numbers(sketch: Sketch, operand: DrawnOperand | undefined, shown: number, place: Rect): void {
  if (!operand) return;
  const rect = { ...place, width: Math.min(place.width, 64) };
  sketch.map(onScale(operand).operand, rect, { offset: 0, stride: 1, rows: shown, columns: 1 });
}

/** Draws log(sum of all ranks) − (logit of the target − max) as bars. */
function adds(sketch: Sketch, { reads, writes }: Operation, shown: number, place: Rect): void {
  const [exps, logit] = [reads[4]?.values, reads[5]?.values];
  const done = writes[0]?.values !== undefined;
  const parts = Array.from({ length: shown }, (_, r) => Math.log(exps?.[r] ?? Number.NaN) - (logit?.[r] ?? Number.NaN));
  const most = mostOf(parts.filter(Number.isFinite)) || 1;
  const height = place.height / shown;
  parts.forEach((part, r) => {
    const rect = { ...place, y: place.y + (r + 0.15) * height, height: 0.7 * height };
    sketch.box(rect, { fill: 'track', below: true });
    if (done && Number.isFinite(part))
      sketch.box({ ...rect, width: Math.max(1, (place.width * part) / most) }, { fill: 'loss' });
  });
}

function lossWords({ writes, info }: Operation, { shown, total }: Logits): readonly string[] {
  const loss = writes[0]?.values?.[0];
  const mean = info.config.loss.reduction === 'sum' ? 'sum' : 'mean';
  const of = shown < total ? `${shown} of ${total} rows are shown; ` : '';
  if (loss === undefined) return [`${of}the ${mean} of all rows is the loss`, 'loss: not yet'];
  return [`${of}${mean} of all rows: loss ${formatValue(loss)}`, `loss ${formatValue(loss)}`];
}
