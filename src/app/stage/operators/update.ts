/**
 * The optimiser's step: a row per parameter with its gradient, the optimiser's moments, the change, and the new weight.
 * The change is the weight after the step minus the weight before it, both from the trace.
 */
import { lookup } from '../../../base/lookup';
import { formatTick } from '../../draw/format';
import type { Rect } from '../../draw/geometry';
import { endOfScale } from '../../draw/value-scale';
import { type MatrixWindow, matrixWindow } from '../matrix-window';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, LINE } from './places';
import type { Sketch } from './sketch';
import { cellsOf, product } from './tensors';

interface Column {
  readonly title: string;
  readonly short: string;
  readonly of: (row: Row) => DrawnOperand | undefined;
  readonly change?: true;
  readonly made?: true;
}

interface Row {
  readonly name: string;
  readonly weight: DrawnOperand;
  readonly gradient: DrawnOperand | undefined;
  readonly states: ReadonlyMap<string, DrawnOperand>;
  readonly before: Float32Array | undefined;
}

/** The matrices in the order of the model, or the vectors if there are no matrices. */
function rowsOf({ reads, writes, before }: Operation): readonly Row[] {
  const all = new Map([...reads, ...writes].map((o) => [o.buffer, o]));
  const weights = writes.filter(({ category }) => category === 'parameter');
  const matrices = weights.filter(({ shape }) => shape.length > 1);
  return (matrices.length > 0 ? matrices : weights).map((weight) => {
    const { buffer } = weight;
    const states = writes.filter((o) => o.category === 'optimizer' && o.buffer.startsWith(`${buffer}.`));
    return {
      name: buffer,
      weight,
      gradient: all.get(`${buffer}.grad`) ?? reads.find((r) => r.category === 'gradient' && r.buffer.includes(buffer)),
      states: new Map(states.map((o) => [o.buffer.slice(buffer.length + 1), o])),
      before: before(buffer),
    };
  });
}

const SHORT: Readonly<Record<string, string>> = {
  exp_avg: 'm',
  exp_avg_sq: 'v',
  momentum_buffer: 'm',
  square_avg: 'v',
  exp_inf: 'u',
  acc_delta: 'Δ²',
  sum: 'Σg²',
  grad_avg: 'ḡ',
};

function columnsOf(rows: readonly Row[], detail: Operation['detail']): readonly Column[] {
  const states = [...(rows[0]?.states.keys() ?? [])].filter((name) => !/step/.test(name));
  const gradient: Column = { title: 'gradient', short: 'grad', of: (row) => row.gradient };
  const change: Column = { title: 'change', short: 'Δ', of: (row) => row.weight, change: true, made: true };
  const after: Column = { title: 'new weight', short: 'weight', of: (row) => row.weight, made: true };
  const moments = states.map(
    (name): Column => ({
      title: name,
      short: lookup(SHORT, name) ?? name,
      of: (row) => row.states.get(name),
      made: true,
    }),
  );
  if (detail === 'least') return [after];
  return detail === 'some' ? [gradient, change, after] : [gradient, ...moments, change, after];
}

const CROPS = [32, 24, 16, 12];
const SMALL_CROPS = [8, 6, 4];
const LEGIBLE = 3.4;
const MOST_CELL = 22;
/** A room at least this many times wider than high shows the parameters side by side. */
const LOW = 2;
/** The least share of the height that the picture must fill. */
const LEAST_SHARE = 0.4;
const GAP = 14;
const ROW_GAP = 8;
/** The most that a gap between rows grows. */
const MOST_GAP = 14;
/** The most times that a cell is higher than wide; filters are square. */
const HIGHER = 1.7;
const NAME = LINE;

interface Fit {
  readonly cell: number;
  readonly windows: readonly MatrixWindow[];
  readonly height: number;
}

/** The largest cells with which windows of all weights fit. */
function fitOf(rows: readonly Row[], columns: number, area: Rect, named: boolean, crops = CROPS): Fit {
  const label = named ? NAME : 0;
  let best: Fit = { cell: 0, windows: [], height: 0 };
  for (const crop of crops) {
    const windows = rows.map(({ weight }) => matrixWindow(weight.shape, crop));
    const wide = Math.max(...windows.map((w) => w.columns));
    const high = windows.reduce((sum, w) => sum + w.rows, 0);
    const cell = Math.min(
      MOST_CELL,
      (area.width - GAP * (columns - 1)) / columns / wide,
      (area.height - rows.length * label - ROW_GAP * (rows.length - 1)) / high,
    );
    if (cell > best.cell * 1.3)
      best = { cell, windows, height: high * cell + rows.length * label + ROW_GAP * (rows.length - 1) };
    if (cell >= 6) break;
  }
  return best;
}

export const update: OperatorPicture = {
  name: 'update',
  operators: [],
  othersBelow: 'optim/',
  shows: 'one row per parameter: gradient, moments of the optimiser, change, new weight',
  draw(operation, sketch) {
    const { area, detail } = operation;
    const all = rowsOf(operation);
    if (all.length === 0) return;
    if (detail === 'least' && area.width >= LOW * area.height) {
      weightsInLine(operation, sketch, all);
      return;
    }
    const columns = columnsOf(all, detail);
    const words = detail !== 'least';
    const { caption, body } = captioned(area, words);
    let named = detail === 'full';
    // As many parameters as fit at a visible size; the last layers are left out.
    let rows = all;
    let fit = fitOf(rows, columns.length, body, named);
    while (fit.cell < LEGIBLE && rows.length > 1) {
      rows = rows.slice(0, -1);
      fit = fitOf(rows, columns.length, body, named);
    }
    if (fit.cell < LEGIBLE) fit = fitOf(rows, columns.length, body, named, [...CROPS, ...SMALL_CROPS]);
    // In a high and narrow room, all layers with weights above gradients fill the area better.
    if (fit.height < LEAST_SHARE * body.height) return;
    // Free height gets the names of the parameters, then higher cells, then wider gaps between the rows.
    if (words && !named && body.height - fit.height >= rows.length * NAME) {
      named = true;
      fit = { ...fit, height: fit.height + rows.length * NAME };
    }
    const stretched = fit.windows.reduce((sum, w) => sum + (w.tiles ? 0 : w.rows * fit.cell), 0);
    const higher = stretched === 0 ? 1 : Math.min(HIGHER, 1 + Math.max(0, body.height - fit.height) / stretched);
    const high = fit.height + (higher - 1) * stretched;
    const more = rows.length > 1 ? Math.min(MOST_GAP, Math.max(0, body.height - high) / (rows.length - 1)) : 0;
    const changes = rows.map(changeOf);
    const end = endOfScale(Float32Array.from(changes.flatMap((c) => (c ? [...c] : [])).map(Math.abs)));
    const ends = columns.map((column) => (column.change ? end : stateEnd(rows, column)));
    const share = (body.width - GAP * (columns.length - 1)) / columns.length;
    let y = body.y + Math.max(0, (body.height - high - more * (rows.length - 1)) / 2);
    const top = y;
    rows.forEach((row, r) => {
      const window = fit.windows[r];
      if (!window) return;
      const height = window.rows * fit.cell * (window.tiles ? 1 : higher);
      if (named) {
        const of = [row.name, window.label === '' ? row.weight.shape.join(' × ') : window.label].join(', ');
        sketch.word({ x: body.x, y, width: body.width, height: NAME }, [of, row.name]);
        y += NAME;
      }
      columns.forEach((column, c) => {
        const operand = column.of(row);
        const rect = {
          x: body.x + c * (share + GAP),
          y,
          width: window.columns * fit.cell,
          height,
        };
        if (!operand) return;
        if (column.change)
          sketch.derived(
            `change of ${row.name}`,
            { title: `change of ${row.name}`, values: changes[r], end, shape: row.weight.shape, made: true },
            rect,
            cellsOf(window),
          );
        else sketch.map(operand, rect, { ...cellsOf(window), end: ends[c] ?? operand.end });
      });
      y += height + ROW_GAP + more;
    });
    if (words)
      columns.forEach((column, c) => {
        const scaled =
          ends[c] !== undefined && (column.change || column.title !== 'new weight')
            ? ` ±${formatTick(ends[c] ?? 0)}`
            : '';
        sketch.word(
          { ...caption, y: Math.max(caption.y, top - LINE), x: caption.x + c * (share + GAP), width: share + GAP - 4 },
          [`${column.title}${scaled}`, column.title, column.short],
          { tone: column.made ? 'ink' : 'soft' },
        );
      });
    say(operation, sketch, rows, changes);
  },
};

/** For a low room: draws the new weights of all parameters side by side, in the largest cells that fit. */
function weightsInLine(operation: Operation, sketch: Sketch, rows: readonly Row[]): void {
  const { area } = operation;
  const windows = rows.map(({ weight }) => matrixWindow(weight.shape, SMALL_CROPS[0] ?? 1));
  const free = area.width - GAP * (rows.length - 1);
  const wide = windows.reduce((sum, window) => sum + window.columns, 0);
  const cells = windows.map((window) => Math.min(MOST_CELL, area.height / window.rows, free / wide));
  const used = windows.reduce((sum, window, r) => sum + window.columns * (cells[r] ?? 0), GAP * (rows.length - 1));
  let x = area.x + (area.width - used) / 2;
  rows.forEach(({ weight }, r) => {
    const [window, cell = 0] = [windows[r], cells[r]];
    if (!window) return;
    const [width, height] = [window.columns * cell, window.rows * cell];
    sketch.map(weight, { x, y: area.y + (area.height - height) / 2, width, height }, cellsOf(window));
    x += width + GAP;
  });
  say(operation, sketch, rows, rows.map(changeOf));
}

/** The weight after the step minus the weight before it, as far as both are known. */
function changeOf({ weight, before }: Row): Float32Array | undefined {
  const { values } = weight;
  if (!values || !before) return undefined;
  return values.slice(0, before.length).map((value, i) => value - (before[i] ?? Number.NaN));
}

/** The optimiser's moments have their own scales, because squares are small. */
function stateEnd(rows: readonly Row[], column: Column): number | undefined {
  const operands = rows.flatMap((row) => column.of(row) ?? []);
  if (operands.some(({ category }) => category !== 'optimizer')) return operands[0]?.end;
  const sizes = operands.flatMap(({ values }) => [...(values ?? [])].map(Math.abs));
  return sizes.length > 0 ? endOfScale(Float32Array.from(sizes)) : undefined;
}

function say(
  { event }: Operation,
  sketch: Sketch,
  rows: readonly Row[],
  changes: readonly (Float32Array | undefined)[],
): void {
  const [row] = rows;
  const [change] = changes;
  if (!row) return;
  const [value, by] = [row.weight.values?.[0], change?.[0]];
  sketch.say(
    value === undefined || by === undefined
      ? `${event.name}: not computed yet`
      : `${event.name}: the first of ${product(row.weight.shape)} weights of ${row.name} changes by ${formatTick(by)} to ${formatTick(value)}`,
  );
}
