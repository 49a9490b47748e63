/**
 * An elementwise function: every captured element is a dot, with its input as x and its output as y, so the dots lie on
 * the function's curve; the inputs' histogram is below, the outputs' beside them. In backward the dots are the slopes
 * by which δ was multiplied: backward's output divided by backward's input.
 */
import { kernelWords } from '../../../trace/words';
import { formatValue } from '../../draw/canvas-numbers';
import { formatTick } from '../../draw/format';
import type { Rect } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed, LINE } from './places';
import { histogram } from './ridge';
import type { Sketch } from './sketch';
import { mostOf, onScale, rangeOf } from './tensors';

const NAMES = ['relu', 'tanh', 'sigmoid', 'gelu', 'leaky-relu', 'elu', 'silu', 'softplus'];
const OTHERS = ['abs', 'exp', 'log', 'neg', 'sqrt', 'rsqrt', 'square', 'clamp', 'pow'];

/** The most elements drawn as dots: enough for the curve, few enough for one frame. */
const MOST_DOTS = 260;

interface Pairs {
  readonly x: DrawnOperand;
  readonly y: DrawnOperand;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Pairs of known elements, at most MOST_DOTS, evenly spread. */
function pairs(x: DrawnOperand, y: DrawnOperand, of = (i: number) => y.values?.[i]): Pairs {
  const length = Math.min(x.values?.length ?? 0, y.values?.length ?? 0);
  const step = Math.max(1, Math.floor(length / MOST_DOTS));
  const points: [number, number][] = [];
  for (let i = 0; i < length; i += step) {
    const [a, b] = [x.values?.[i], of(i)];
    if (a !== undefined && b !== undefined && Number.isFinite(a) && Number.isFinite(b)) points.push([a, b]);
  }
  return { x, y, points };
}

export const activation: OperatorPicture = {
  name: 'activation',
  operators: [...NAMES, ...OTHERS].flatMap((name) => [`ops/${name}`, `ops/${name}-grad`]),
  shows: 'the curve of the function with the values on it, and the distribution of the values before and after',
  draw(operation, sketch) {
    const { event } = operation;
    if (event.phase === 'backward') backward(operation, sketch);
    else {
      const [x] = operation.reads;
      const [y] = operation.writes;
      if (x && y) plot(operation, sketch, pairs(x, y), WORDS.forward(kernelWords(event.name), x.name));
    }
  },
};

interface PlotWords {
  readonly top: readonly string[];
  readonly right: readonly string[];
  readonly foot: readonly string[];
}

const WORDS = {
  forward: (name: string, input: string): PlotWords => ({
    top: [`output = ${name}(input)`, name],
    right: ['output'],
    foot: [`input (${input}): one dot per value, its height is the output`, 'input →, output ↑', 'input →'],
  }),
  backward: (name: string): PlotWords => ({
    top: [`slope of ${name} at each input`, `slope of ${name}`, 'slope'],
    right: ['slopes'],
    foot: ['input of forward; height: by how much δ was multiplied', 'input →, slope ↑', 'input →'],
  }),
};

/** Draws the dots, the inputs' histogram below and the outputs' histogram at the right. */
function plot({ area, detail, event }: Operation, sketch: Sketch, { x, y, points }: Pairs, words: PlotWords): void {
  const worded = detail !== 'least';
  const { foot, body } = footed(area, worded);
  const { caption, body: all } = captioned(body, worded);
  const side = detail === 'full' ? Math.min(90, all.width * 0.2) : detail === 'some' ? 26 : 0;
  const low = detail === 'full' ? Math.min(60, all.height * 0.22) : detail === 'some' ? 18 : 0;
  const frame: Rect = {
    ...all,
    width: all.width - side - (side > 0 ? 6 : 0),
    height: all.height - low - (low > 0 ? 6 : 0),
  };
  // Inputs exist before outputs do.
  const inputs = points.length > 0 ? points.map(([a]) => a) : [...(x.values?.subarray(0, MOST_DOTS) ?? [])];
  const [xLow, xHigh] = withZero(rangeOf(inputs));
  const [yLow, yHigh] = withZero(rangeOf(points.map(([, b]) => b)));
  const xOf = (value: number): number => frame.x + ((value - xLow) / (xHigh - xLow)) * frame.width;
  const yOf = (value: number): number => frame.y + frame.height - ((value - yLow) / (yHigh - yLow)) * frame.height;
  sketch.box(frame, { fill: 'track', below: true, radius: 3, alpha: 0.55 });
  sketch.line(
    [
      { x: frame.x, y: yOf(0) },
      { x: frame.x + frame.width, y: yOf(0) },
    ],
    'soft',
    { alpha: 0.7 },
  );
  sketch.line(
    [
      { x: xOf(0), y: frame.y },
      { x: xOf(0), y: frame.y + frame.height },
    ],
    'soft',
    { alpha: 0.7 },
  );
  if (points.length > 1) {
    const sorted = [...points].sort(([a], [b]) => a - b);
    sketch.line(
      sorted.map(([a, b]) => ({ x: xOf(a), y: yOf(b) })),
      'line',
      { width: 1.5, below: true },
    );
    const tone = event.phase === 'backward' ? 'gradient' : 'activation';
    sketch.dots(
      points.map(([a, b]) => ({ x: xOf(a), y: yOf(b) })),
      detail === 'least' ? 1.4 : 2.2,
      tone,
      0.75,
    );
  }
  if (low > 0) bars(sketch, inputs, [xLow, xHigh], { ...frame, y: frame.y + frame.height + 6, height: low }, 'down');
  if (side > 0)
    bars(
      sketch,
      points.map(([, b]) => b),
      [yLow, yHigh],
      { ...frame, x: frame.x + frame.width + 6, width: side },
      'right',
    );
  if (detail === 'full' && points.length > 0) ticks(sketch, frame, [xLow, xHigh], [yLow, yHigh]);
  if (worded) {
    sketch.word({ ...caption, width: frame.width }, words.top, { tone: 'ink' });
    if (side > 40) sketch.word({ ...caption, x: frame.x + frame.width + 6, width: side }, words.right);
    sketch.word(foot, words.foot);
  }
  sketch.point('input', frame, `${kernelWords(event.name)}: ${x.name} to ${y.name}`, [
    ['values', `${points.length} as dots`],
    ['input', `${formatTick(xLow)} to ${formatTick(xHigh)}`],
    ['output', `${formatTick(yLow)} to ${formatTick(yHigh)}`],
  ]);
  const [first] = points;
  sketch.say(
    first
      ? `${event.name}: the first value ${formatValue(first[0])} becomes ${formatValue(first[1])}`
      : `${event.name}: not computed yet`,
  );
}

/** The range, extended to contain 0 and by a small margin. */
function withZero([low, high]: readonly [number, number]): readonly [number, number] {
  const [a, b] = [Math.min(0, low), Math.max(0, high)];
  const air = 0.06 * (b - a) || 1;
  return [a - air, b + air];
}

function ticks(
  sketch: Sketch,
  frame: Rect,
  [xLow, xHigh]: readonly [number, number],
  [yLow, yHigh]: readonly [number, number],
): void {
  const at = (x: number, y: number, text: string, align: 'left' | 'right') =>
    sketch.word({ x: align === 'right' ? x - 44 : x, y, width: 44, height: LINE }, [text, ''], { align });
  at(frame.x + 4, frame.y + frame.height - LINE, formatTick(xLow), 'left');
  at(frame.x + frame.width - 4, frame.y + frame.height - LINE, formatTick(xHigh), 'right');
  at(frame.x + 4, frame.y + 2, formatTick(yHigh), 'left');
  if (frame.height > 90) at(frame.x + 4, frame.y + frame.height - 2 * LINE - 2, `${formatTick(yLow)} ↑`, 'left');
}

function bars(
  sketch: Sketch,
  values: readonly number[],
  range: readonly [number, number],
  rect: Rect,
  to: 'down' | 'right',
): void {
  const long = to === 'down' ? rect.width : rect.height;
  const deep = to === 'down' ? rect.height : rect.width;
  const bins = Math.max(8, Math.min(40, Math.floor(long / 7)));
  const counts = histogram(values, range, bins);
  const most = Math.max(...counts) || 1;
  const step = long / bins;
  counts.forEach((share, i) => {
    const reach = deep * Math.sqrt(share / most);
    if (reach <= 0) return;
    sketch.box(
      to === 'down'
        ? { x: rect.x + i * step, y: rect.y, width: Math.max(1, step - 1), height: reach }
        : { x: rect.x, y: rect.y + rect.height - (i + 1) * step, width: reach, height: Math.max(1, step - 1) },
      { fill: 'activation', alpha: 0.45, below: true },
    );
  });
}

function backward(operation: Operation, sketch: Sketch): void {
  const { event, reads, writes, area, detail } = operation;
  const before = reads.find(({ buffer }) => buffer.endsWith('.grad'));
  const [after] = writes;
  if (!before || !after) return;
  const forward = operation.forward(event.name.replace(/-grad$/, ''));
  const source = forward?.reads[0];
  const x = (source === undefined ? undefined : operation.operand(source)) ?? reads.find((r) => r !== before);
  if (!x) return;
  // For tiny inputs the quotient is mostly rounding error.
  const least = 1e-4 * mostOf(before.values ?? []);
  const slope = (i: number): number | undefined => {
    const [a, b] = [before.values?.[i], after.values?.[i]];
    return a === undefined || b === undefined || !(Math.abs(a) > least) ? undefined : b / a;
  };
  const wide = detail === 'full' && area.width >= 360;
  const [plotAt = area, mapsAt] = wide ? columns(area, [1.5, 1], 22) : [area, undefined];
  plot({ ...operation, area: plotAt }, sketch, pairs(x, after, slope), WORDS.backward(kernelWords(event.name)));
  if (!mapsAt) return;
  const half = (mapsAt.height - 10) / 2;
  [before, after].forEach((operand, i) => {
    const place = captioned({ ...mapsAt, y: mapsAt.y + i * (half + 10), height: half });
    const [rows, width] = [operand.shape[0] ?? 1, operand.shape.at(-1) ?? 1];
    const all = operand.shape.length === 2 ? rows : (operand.shape.at(-2) ?? 1);
    const shown = { rows: Math.min(all, 32), columns: Math.min(width, 32) };
    const cell = Math.min(place.body.width / shown.columns, place.body.height / shown.rows, 20);
    const scaled = onScale(operand);
    sketch.map(
      scaled.operand,
      { ...place.body, width: shown.columns * cell, height: shown.rows * cell },
      { offset: 0, stride: width, ...shown },
    );
    sketch.word(
      place.caption,
      i === 0
        ? [`δ of the output${scaled.note}`, 'δ of the output']
        : [`δ of the input = δ × slope${scaled.note}`, 'δ of the input = δ × slope', 'δ × slope'],
      i === 0 ? {} : { tone: 'ink' },
    );
  });
}
