/**
 * Plots a quantity over the values of one setting, with a run for each value: drawn at build, for a wide page and for a
 * phone; live/ adds the reader's guess to both. Pure, in the units of the SVG.
 */
import { linearScale } from '../../app/draw/scales';
import { labelOf } from '../facts/label';
import { formatOf } from '../facts/quantities';
import { type Format, write } from '../facts/write';
import { type FigureShape, PLOT } from '../figure-size';
import type { Changes, Plot as PlotSpec } from '../lesson';
import { askedValue, figureOf, type PageContext, placeOnce, rowOf, usePage } from './lesson-context';

/** Space around the plot; on a phone the numbers of the axis decide about the left side. */
const FRAME = {
  wide: { left: 72, right: 150, top: 30, bottom: 44 },
  narrow: { left: 0, right: 16, top: 32, bottom: 44 },
} as const;
/** Height of a line's label above the plot, and width of a letter. */
const LABEL = 18;
const LETTER = 7.2;
const TICKS = 4;

interface Point {
  readonly x: number;
  readonly y: number;
  /** The setting's value, as the link writes it. */
  readonly setting: string;
}

interface Line {
  readonly label: string;
  readonly points: readonly Point[];
}

/** Undefined while its runs are not recorded yet. */
function lineOf(page: PageContext, plot: PlotSpec, label: string, changes: Changes): Line | undefined {
  const points = plot.values.map((setting): Point | undefined => {
    const y = askedValue(page, { figure: plot.figure, of: plot.of, with: { ...changes, [plot.over]: setting } });
    return y === undefined ? undefined : { x: numberOf(setting), y, setting };
  });
  const there = points.filter((point) => point !== undefined);
  return there.length < points.length ? undefined : { label, points: there };
}

/** The number of a setting: 8 for '8', 4 for a bucket's cap of '4KiB'. */
export function numberOf(setting: string): number {
  const [, digits = '', unit = ''] = /^([\d.]+)(KiB|MiB)?$/.exec(setting) ?? [];
  const number = Number(digits);
  if (digits === '' || Number.isNaN(number)) throw new Error(`A plot over "${setting}", which is no number.`);
  return unit === 'MiB' ? 1024 * number : number;
}

/** The setting's words on the figure's own control. */
function wordOf(page: PageContext, plot: PlotSpec, setting: string): string {
  const controls = figureOf(page, plot.figure).controls.filter((own) => typeof own === 'object');
  const control = controls.find(({ key }) => key === plot.over);
  return control?.words?.[control.values.indexOf(setting)] ?? setting;
}

function ticksOf(top: number): readonly number[] {
  const rough = top / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

interface DrawnProps {
  readonly plot: PlotSpec;
  /** Settings of the main line, beside the one that the plot is over: those that a prediction asks about. */
  readonly changes?: Changes | undefined;
  /** The setting at which a prediction asks: its point is hidden before the guess. */
  readonly asked?: string | undefined;
}

export function DrawnPlot({ plot, changes = {}, asked }: DrawnProps) {
  const page = usePage();
  const lines = [
    lineOf(page, plot, '', changes),
    ...(plot.beside ?? []).map(({ label, with: changes }) => lineOf(page, plot, label, changes)),
  ].filter((line) => line !== undefined);
  const [main] = lines;
  if (!main || lines.length < 1 + (plot.beside?.length ?? 0)) return null;
  return (['wide', 'narrow'] as const).map((shape) => (
    <Picture key={shape} shape={shape} plot={plot} lines={lines} main={main} asked={asked} />
  ));
}

interface PictureProps {
  readonly shape: FigureShape;
  readonly plot: PlotSpec;
  readonly lines: readonly Line[];
  readonly main: Line;
  readonly asked: string | undefined;
}

function Picture({ shape, plot, lines, main, asked }: PictureProps) {
  const page = usePage();
  const format = formatOf(plot.of);
  const { width, height } = PLOT[shape];
  const frame = FRAME[shape];
  const narrow = shape === 'narrow';
  const others = lines.filter(({ label }) => label !== '');
  // On a phone the label of one other line is above the plot, those of several lines are at their ends.
  const labels = narrow && others.length === 1 ? others : [];
  const xs = main.points.map(({ x }) => x);
  const ticks = ticksOf(Math.max(1e-9, ...lines.flatMap(({ points }) => points.map(({ y }) => y))));
  const from = { x: Math.min(...xs), y: 0 };
  const to = { x: Math.max(...xs), y: ticks.at(-1) ?? 1 };
  const widest = Math.max(...ticks.map((tick) => write(tick, format).length));
  const [left, right] = [narrow ? 10 + LETTER * widest : frame.left, width - frame.right];
  const [bottom, top] = [height - frame.bottom, frame.top + LABEL * labels.length];
  const x = linearScale({ from: from.x, to: to.x }, { from: left, to: right });
  const y = linearScale({ from: 0, to: to.y }, { from: bottom, to: top });
  const settings = settingsOf(page, plot, main, x).filter(
    (one, index, all) => !narrow || !all.slice(0, index).some((before) => crosses(before, one)),
  );
  const ends = narrow && others.length > 1 ? others.map((line) => endLabel(line, { x, y }, right)) : [];
  const scale = JSON.stringify({ x: [from.x, to.x, left, right], y: [0, to.y, bottom, top] });
  return (
    <svg
      className="plot"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${labelOf(plot.of)} over ${plot.label}`}
      data-shape={shape}
      data-scale={scale}
      data-format={format}
      {...(asked === undefined ? {} : { 'data-x': numberOf(asked) })}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <path className="plot-hair" d={`M${left} ${y(tick)}H${right}`} />
          <text x={left - 8} y={y(tick) + 4} textAnchor="end">
            {write(tick, format)}
          </text>
        </g>
      ))}
      {settings.map(({ setting, text, x: at }) => (
        <text key={setting} x={at} y={bottom + 18} textAnchor="middle">
          {text}
        </text>
      ))}
      <text className="plot-axis" x={narrow ? 0 : left - 8} y={14}>
        {labelOf(plot.of)}
      </text>
      <text className="plot-axis" x={right} y={height - 6} textAnchor="end">
        {plot.label}
      </text>
      {labels.map(({ label }, index) => (
        <g key={label} data-line={lines.findIndex((line) => line.label === label)}>
          <path className="plot-line" d={`M0 ${frame.top + LABEL * index - 4}h22`} />
          <text className="plot-label" x={28} y={frame.top + LABEL * index}>
            {label}
          </text>
        </g>
      ))}
      {ends.map(({ text, x: at, y: height, anchor }) => (
        <text key={text} className="plot-label" x={at} y={height} textAnchor={anchor}>
          {text}
        </text>
      ))}
      {lines.map((line, index) => (
        <Drawn
          key={line.label}
          line={line}
          index={index}
          place={{ x, y }}
          values={index === 0 ? valuesOf(line, { x, y }, { shape, left, right, bottom, format, asked, ends }) : []}
          labelled={!narrow}
          hidden={asked !== undefined}
        />
      ))}
    </svg>
  );
}

interface Words {
  readonly setting: string;
  readonly text: string;
  readonly x: number;
}

const settingsOf = (page: PageContext, plot: PlotSpec, main: Line, x: Place['x']): readonly Words[] =>
  main.points.map((point) => ({ setting: point.setting, text: wordOf(page, plot, point.setting), x: x(point.x) }));

/** Whether the words of two settings, centred at their places, lie over each other. */
const crosses = (a: Words, b: Words): boolean =>
  Math.abs(a.x - b.x) < (LETTER * (a.text.length + b.text.length)) / 2 + 3;

/** The label of a line above its last point, to the left. */
function endLabel({ label, points }: Line, { x, y }: Place, right: number): Value {
  const last = points.at(-1);
  const at = { x: last ? x(last.x) : right, y: last ? y(last.y) - 8 : 0 };
  return { setting: label, text: label, ...at, anchor: 'end', asked: false };
}

interface Place {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

/** A number beside its point. */
interface Value {
  readonly setting: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'end';
  readonly asked: boolean;
}

interface Around {
  readonly shape: FigureShape;
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly format: Format;
  readonly asked: string | undefined;
  /** Labels at the ends of lines. */
  readonly ends: readonly Value[];
}

/** The numbers of the main line; on a phone beside the line, and only those that do not lie over another. */
function valuesOf({ points }: Line, place: Place, around: Around): readonly Value[] {
  const { shape, left, right, bottom, format, asked, ends } = around;
  const all = points.map((point, index): Value => {
    const [x, y] = [place.x(point.x), place.y(point.y)];
    const before = points[Math.max(0, index - 1)] ?? point;
    const after = points[Math.min(points.length - 1, index + 1)] ?? point;
    const anchor = shape === 'narrow' && x > (left + right) / 2 ? 'end' : 'start';
    const below = (anchor === 'start') === after.y >= before.y && y + 18 < bottom;
    const aside = anchor === 'start' ? 6 : -6;
    const text = write(point.y, format);
    if (shape === 'wide') return { setting: point.setting, text, x: x + 6, y: y + 18, anchor, asked: false };
    return { setting: point.setting, text, x: x + aside, y: below ? y + 18 : y - 8, anchor, asked: false };
  });
  const told = all.map((value) => ({ ...value, asked: value.setting === asked }));
  if (shape === 'wide') return told;
  // The one that a prediction asks for, then the ends, then what has room between them.
  const order = [...told].sort((a, b) => Number(b.asked) - Number(a.asked) || isEnd(told, b) - isEnd(told, a));
  const kept: Value[] = [...ends];
  for (const value of order) if (!kept.some((other) => overlap(value, other))) kept.push(value);
  return told.filter((value) => kept.includes(value));
}

const isEnd = (all: readonly Value[], value: Value): number => Number(value === all[0] || value === all.at(-1));

function overlap(a: Value, b: Value): boolean {
  const from = ({ x, text, anchor }: Value): number => (anchor === 'start' ? x : x - LETTER * text.length);
  return (
    Math.abs(a.y - b.y) < 14 &&
    from(a) < from(b) + LETTER * b.text.length + 4 &&
    from(b) < from(a) + LETTER * a.text.length + 4
  );
}

interface LineProps {
  readonly line: Line;
  readonly index: number;
  readonly place: Place;
  readonly values: readonly Value[];
  /** Whether the line's label is at its end. */
  readonly labelled: boolean;
  /** Whether a prediction shows the line only after the guess. */
  readonly hidden: boolean;
}

function Drawn({ line: { points, label }, index, place: { x, y }, values, labelled, hidden }: LineProps) {
  const path = points.map((point, at) => `${at === 0 ? 'M' : 'L'}${x(point.x)} ${y(point.y)}`).join('');
  const last = points.at(-1);
  return (
    <g className={hidden ? 'plot-answer' : undefined} data-line={index}>
      <path className="plot-line" d={path} />
      {points.map((point) => (
        <circle key={point.setting} cx={x(point.x)} cy={y(point.y)} r={4} />
      ))}
      {values.map(({ setting, text, anchor, asked, ...at }) => (
        <text key={setting} className="plot-value" data-asked={asked || undefined} textAnchor={anchor} {...at}>
          {text}
        </text>
      ))}
      {last && label !== '' && labelled && (
        <text className="plot-label" x={x(last.x) + 10} y={y(last.y) + 4}>
          {label}
        </text>
      )}
    </g>
  );
}

export function Plot({ id }: { id: string }) {
  const page = usePage();
  placeOnce(page, 'plot', id);
  const plot = rowOf(page.lesson.plots ?? {}, 'plot', id, page);
  return (
    <div className="plot-frame">
      <DrawnPlot plot={plot} />
    </div>
  );
}
