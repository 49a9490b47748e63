/**
 * Plots a quantity over the values of one setting, with a run for each value: drawn at build; live/ adds the reader's
 * guess. Pure, in the units of the SVG.
 */
import { linearScale } from '../../app/draw/scales';
import { labelOf } from '../facts/label';
import { formatOf } from '../facts/quantities';
import { type Format, write } from '../facts/write';
import { PLOT } from '../figure-size';
import type { Changes, Plot as PlotSpec } from '../lesson';
import { askedValue, figureOf, type PageContext, placeOnce, rowOf, usePage } from './context';

const FRAME = { left: 72, right: 150, top: 30, bottom: 44 } as const;
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
  const format = formatOf(plot.of);
  const lines = [
    lineOf(page, plot, '', changes),
    ...(plot.beside ?? []).map(({ label, with: changes }) => lineOf(page, plot, label, changes)),
  ].filter((line) => line !== undefined);
  const [main] = lines;
  if (!main || lines.length < 1 + (plot.beside?.length ?? 0)) return null;
  const xs = main.points.map(({ x }) => x);
  const ticks = ticksOf(Math.max(1e-9, ...lines.flatMap(({ points }) => points.map(({ y }) => y))));
  const from = { x: Math.min(...xs), y: 0 };
  const to = { x: Math.max(...xs), y: ticks.at(-1) ?? 1 };
  const [left, right] = [FRAME.left, PLOT.width - FRAME.right];
  const [bottom, top] = [PLOT.height - FRAME.bottom, FRAME.top];
  const x = linearScale({ from: from.x, to: to.x }, { from: left, to: right });
  const y = linearScale({ from: 0, to: to.y }, { from: bottom, to: top });
  const scale = JSON.stringify({ x: [from.x, to.x, left, right], y: [0, to.y, bottom, top] });
  return (
    <svg
      className="plot"
      viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
      role="img"
      aria-label={`${labelOf(plot.of)} over ${plot.label}`}
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
      {main.points.map(({ x: at, setting }) => (
        <text key={setting} x={x(at)} y={bottom + 18} textAnchor="middle">
          {wordOf(page, plot, setting)}
        </text>
      ))}
      <text className="plot-axis" x={left - 8} y={14}>
        {labelOf(plot.of)}
      </text>
      <text className="plot-axis" x={right} y={PLOT.height - 6} textAnchor="end">
        {plot.label}
      </text>
      {lines.map((line, index) => (
        <Drawn key={line.label} line={line} index={index} place={{ x, y }} format={format} asked={asked} />
      ))}
    </svg>
  );
}

interface LineProps {
  readonly line: Line;
  readonly index: number;
  readonly place: { readonly x: (value: number) => number; readonly y: (value: number) => number };
  readonly format: Format;
  readonly asked: string | undefined;
}

function Drawn({ line: { points, label }, index, place: { x, y }, format, asked }: LineProps) {
  const path = points.map((point, at) => `${at === 0 ? 'M' : 'L'}${x(point.x)} ${y(point.y)}`).join('');
  const last = points.at(-1);
  const hidden = asked !== undefined;
  return (
    <g className={hidden ? 'plot-answer' : undefined} data-line={index}>
      <path className="plot-line" d={path} />
      {points.map((point) => (
        <circle key={point.setting} cx={x(point.x)} cy={y(point.y)} r={4} />
      ))}
      {index === 0 &&
        points.map((point) => (
          <text
            key={point.setting}
            className="plot-value"
            data-asked={point.setting === asked || undefined}
            x={x(point.x) + 6}
            y={y(point.y) + 18}
          >
            {write(point.y, format)}
          </text>
        ))}
      {last && label !== '' && (
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
