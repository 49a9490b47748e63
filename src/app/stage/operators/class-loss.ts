/**
 * The classification losses: each row's probabilities as cells, with a frame around the right class, and beside them
 * the row's term of the loss, minus the logarithm of that class's probability; in backward the gradient, probability
 * minus target. The probabilities are the softmax of the trace's logits.
 */
import { plural } from '../../../base/plural';
import type { LossConfig } from '../../../protocol/config/loss';
import { formatValue } from '../../draw/canvas-numbers';
import { formatTick } from '../../draw/format';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed, LINE } from './places';
import type { Sketch } from './sketch';
import { mostOf, product, rowsOf } from './tensors';

/** Heights of rows; `alone`: the most in a picture without words, where few rows may grow. */
const ROW = { least: 7, most: 24, alone: 72, words: 13 };
const NAME = 46;
const LETTER = 8;

/** The softmax of each known row, or the exponential of its log-probabilities. */
function probabilities(x: DrawnOperand, classes: number, rows: number, logProbs: boolean): Float32Array | undefined {
  const { values } = x;
  if (!values) return undefined;
  const result = new Float32Array(rows * classes);
  for (let r = 0; r < rows; r++) {
    const row = values.subarray(r * classes, (r + 1) * classes);
    const most = logProbs ? 0 : Math.max(...row);
    const powers = row.map((v) => Math.exp(v - most));
    const sum = logProbs ? 1 : powers.reduce((a, b) => a + b, 0);
    result.set(
      powers.map((v) => v / sum),
      r * classes,
    );
  }
  return result;
}

interface Classes {
  readonly x: DrawnOperand;
  readonly target: DrawnOperand;
  readonly gradient: DrawnOperand | undefined;
  readonly loss: DrawnOperand | undefined;
  readonly classes: number;
  readonly logProbs: boolean;
  readonly settings: {
    readonly smoothing: number;
    readonly ignoreIndex: number;
    readonly weights: readonly number[] | undefined;
  };
  /** The loss has no class weights, label smoothing or ignored rows, so the short formulas hold. */
  readonly plain: boolean;
}

function classesOf({ event, reads, writes, info }: Operation): Classes | undefined {
  const [x, target] = reads;
  // If dimensions follow the classes, a row is not contiguous in memory.
  if (!x || !target || product(x.shape) / (x.shape.at(-1) ?? 1) !== product(target.shape)) return undefined;
  return {
    x,
    target,
    gradient: writes.find((w) => w.buffer.endsWith('.grad')),
    loss: writes.find((w) => product(w.shape) === 1),
    classes: x.shape.at(-1) ?? 1,
    logProbs: event.name.startsWith('loss/nll'),
    ...settingsOf(info.config.loss),
  };
}

function settingsOf(loss: LossConfig): Pick<Classes, 'settings' | 'plain'> {
  const smoothing = loss.type === 'CrossEntropyLoss' ? (loss.labelSmoothing ?? 0) : 0;
  const chosen = loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss' ? loss : undefined;
  const settings = { smoothing, ignoreIndex: chosen?.ignoreIndex ?? -100, weights: chosen?.classWeights };
  return {
    settings,
    plain: smoothing === 0 && !settings.weights && settings.ignoreIndex < 0 && loss.type === 'CrossEntropyLoss',
  };
}

/** The name of a class: a letter of the text, or a digit. */
function nameOf({ info }: Operation, index: number): string {
  const { vocabulary, classNames } = info.dataset;
  const name = vocabulary[index] ?? classNames[index] ?? String(index);
  return name === '\n' ? '⏎' : name === ' ' ? '␣' : name;
}

interface Rows {
  readonly shown: number;
  readonly height: number;
  readonly top: number;
  /** The number of classes drawn. */
  readonly across: number;
}

export const classLoss: OperatorPicture = {
  name: 'class-loss',
  operators: ['loss/cross-entropy', 'loss/cross-entropy-grad', 'loss/nll', 'loss/nll-grad'],
  shows:
    'the probability of each class, row by row, with a frame around the right class, and −log of its probability as a bar',
  draw(operation, sketch) {
    const found = classesOf(operation);
    if (!found) return;
    const { area, detail, info } = operation;
    const { gradient, x, classes } = found;
    const words = detail !== 'least';
    const { foot, body } = footed(area, words);
    const { caption, body: rowsAt } = captioned(body, words);
    const { rows: total, known } = rowsOf(x);
    const tokens = x.shape.length > 2 ? (x.shape[1] ?? total) : total;
    const most = Math.max(1, Math.floor(rowsAt.height / ROW.least));
    const shown = Math.max(1, Math.min(total, known, tokens, most));
    const height = Math.min(words ? ROW.most : ROW.alone, rowsAt.height / shown);
    const named = detail === 'full' && height >= ROW.words;
    const left = named ? NAME : 0;
    const inner = { ...rowsAt, x: rowsAt.x + left, width: rowsAt.width - left };
    const [cellsAt = inner, beside = inner] = columns(inner, gradient ? [1, 1] : [2.2, 1], detail === 'full' ? 14 : 6);
    const at: Rows = {
      shown,
      height,
      top: rowsAt.y + (rowsAt.height - shown * height) / 2,
      across: Math.min(classes, Math.max(1, Math.floor(cellsAt.width / 2))),
    };
    const likely = probabilities(x, classes, shown, found.logProbs);
    const grid = { offset: 0, stride: classes, rows: shown, columns: at.across };
    const rect = { x: cellsAt.x, y: at.top, width: cellsAt.width, height: shown * height };
    sketch.derived(
      'probabilities',
      {
        title: `softmax of ${x.name}`,
        values: likely,
        end: 1,
        shape: [shown, classes],
        made: false,
        facts: [['rows', 'one per prediction, one column per class']],
      },
      rect,
      grid,
    );
    frames(sketch, found, rect, at);
    if (named) names(operation, sketch, found, { x: rowsAt.x, width: NAME - 6 }, at);
    const heads = (place: typeof cellsAt) => ({ ...caption, x: place.x, width: place.width });
    if (words)
      sketch.word(heads(cellsAt), [
        'probability of each class, the right one framed',
        'probabilities, target framed',
        'probabilities',
        'p',
      ]);
    if (gradient) {
      const side = { ...rect, x: beside.x, width: beside.width };
      sketch.map(gradient, side, grid, 'gradient');
      frames(sketch, found, side, at);
      if (words)
        sketch.word(
          heads(beside),
          found.plain
            ? ['gradient: probability − target, per row', 'gradient: p − target', 'gradient', 'δ']
            : ['gradient', 'δ'],
          { tone: 'ink' },
        );
      const end = `δ = (p − target) / ${total}`;
      if (found.plain)
        sketch.word(
          foot,
          info.config.loss.reduction === 'sum'
            ? ['δ = p − target']
            : [`${end}, the mean over ${plural(total, 'row')}`, end],
        );
    } else {
      bars(sketch, found, likely, beside, at);
      if (words)
        sketch.word(heads(beside), found.plain ? ['adds −log p', '−log p'] : ['what each row adds', 'adds'], {
          tone: 'ink',
        });
      const loss = found.loss?.values?.[0];
      const mean = info.config.loss.reduction === 'sum' ? 'sum' : 'mean';
      const of = shown < total ? `${shown} of ${total} rows are shown; ` : '';
      if (loss === undefined) sketch.word(foot, [`${of}the ${mean} of all rows is the loss`, 'loss: not yet']);
      else
        sketch.word(
          foot,
          [
            `${of}${mean} of all rows: loss ${formatValue(loss)}`,
            `${mean} of ${total} rows: loss ${formatValue(loss)}`,
            `loss ${formatValue(loss)}`,
          ],
          { tone: 'ink' },
        );
    }
    said(operation, sketch, found, likely, at);
  },
};

const classOf = ({ target }: Classes, row: number): number | undefined => target.values?.[row];

function frames(sketch: Sketch, found: Classes, rect: { readonly x: number; readonly width: number }, at: Rows): void {
  const width = rect.width / at.across;
  for (let r = 0; r < at.shown; r++) {
    const c = classOf(found, r);
    if (c === undefined || c < 0 || c >= at.across) continue;
    const own = { x: rect.x + c * width, y: at.top + r * at.height, width, height: at.height };
    sketch.box(own, { stroke: 'ink', lineWidth: width >= 8 && at.height >= 8 ? 1.5 : 1 });
  }
}

function names(
  operation: Operation,
  sketch: Sketch,
  found: Classes,
  place: { readonly x: number; readonly width: number },
  at: Rows,
): void {
  for (let r = 0; r < at.shown; r++) {
    const c = classOf(found, r);
    if (c === undefined) continue;
    const y = at.top + (r + 0.5) * at.height - LINE / 2 + 1;
    const name = nameOf(operation, c);
    sketch.word({ ...place, y, height: LINE }, [name, name.slice(0, Math.floor(place.width / LETTER))], {
      align: 'right',
    });
  }
}

/**
 * A row's term of the loss: −log p of its class, times the class's weight; label smoothing gives every class a share,
 * and an ignored row adds nothing.
 */
function added(found: Classes, row: number, likely: Float32Array | undefined): number | undefined {
  const { classes, settings } = found;
  const target = classOf(found, row);
  if (target === undefined || !likely) return undefined;
  if (target === settings.ignoreIndex) return 0;
  const minusLog = (c: number): number => -Math.log(likely[row * classes + c] ?? Number.NaN);
  const weight = (c: number): number => settings.weights?.[c] ?? 1;
  const own = (1 - settings.smoothing) * weight(target) * minusLog(target);
  if (settings.smoothing === 0) return own;
  let all = 0;
  for (let c = 0; c < classes; c++) all += weight(c) * minusLog(c);
  return own + (settings.smoothing / classes) * all;
}

function bars(
  sketch: Sketch,
  found: Classes,
  likely: Float32Array | undefined,
  place: { readonly x: number; readonly width: number },
  at: Rows,
): void {
  const loss = found.loss?.values?.[0];
  const adds = Array.from({ length: at.shown }, (_, r) => added(found, r, likely));
  const most = Math.max(mostOf(adds.flatMap((a) => a ?? [])), loss ?? 0) || 1;
  const prints = place.width >= 84 && at.height >= ROW.words;
  const wide = place.width - (prints ? 40 : 0);
  adds.forEach((own, r) => {
    const y = at.top + r * at.height;
    const rect = { x: place.x, y: y + at.height * 0.15, width: wide, height: at.height * 0.7 };
    sketch.box(rect, { fill: 'track', below: true });
    if (own === undefined || loss === undefined || !Number.isFinite(own)) return;
    sketch.box({ ...rect, width: Math.max(1, (wide * own) / most) }, { fill: 'loss' });
    if (prints)
      sketch.word(
        { x: place.x + wide + 4, y: y + at.height / 2 - LINE / 2 + 1, width: 38, height: LINE },
        [formatTick(own), ''],
        { tone: 'ink' },
      );
  });
  if (loss === undefined || !Number.isFinite(loss)) return;
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

function said(operation: Operation, sketch: Sketch, found: Classes, likely: Float32Array | undefined, at: Rows): void {
  const row = (r: number): string => {
    const c = classOf(found, r);
    if (c === undefined || !likely) return `row ${r}: not computed yet`;
    return `row ${r}: target ${nameOf(operation, c)}, probability ${formatValue(likely[r * found.classes + c] ?? Number.NaN)}`;
  };
  sketch.say(`${operation.event.name}: ${Array.from({ length: Math.min(4, at.shown) }, (_, r) => row(r)).join('; ')}`);
}
