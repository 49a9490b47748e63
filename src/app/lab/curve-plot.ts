/**
 * The plot that compares the algorithms: logarithmic axes, names at the ends of lines, marked crossovers. Loaded with
 * the lab.
 */
import type uPlot from 'uplot';
import { at } from '../../base/invariant';
import { ALGORITHM_NAMES, type AlgorithmName } from '../../protocol/collective';
import type { LabCurve } from '../../protocol/lab';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import { formatSize, formatTime } from '../draw/format';
import { columnsOf, drawNames, isPower, logOptions, plotIn } from '../draw/log-plot';
import type { Palette } from '../draw/theme';

export interface CurveMark {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

export interface CurveInput {
  readonly curves: readonly LabCurve[];
  readonly over: 'bytes' | 'ranks';
  readonly chosen: AlgorithmName;
  /** The bytes, or the ranks, of the lab's figure, marked in the plot. */
  readonly here: number;
  readonly marks: readonly CurveMark[];
}

const HEIGHT = 230;
/** The width for the names at the ends of the lines. */
const NAMES = 112;
/** The dash patterns, in the order of ALGORITHM_NAMES. */
const DASHES = [[], [2, 3], [7, 3], [7, 3, 2, 3], [12, 3], [4, 2]] as const;
const dashOf = (algorithm: AlgorithmName): number[] => [
  ...at(DASHES, ALGORITHM_NAMES.indexOf(algorithm) % DASHES.length),
];

const xOf = (over: CurveInput['over']) => (point: LabCurve['points'][number]) =>
  over === 'bytes' ? point.bytes : point.worldSize;

export function createCurvePlot(element: HTMLElement, palette: Palette, input: CurveInput): { destroy(): void } {
  const of = xOf(input.over);
  const lines = input.curves.map(({ points }) => points.map((point) => ({ x: of(point), y: point.timeUs || null })));
  return plotIn(element, HEIGHT, (width) => options(palette, input, width), columnsOf(lines));
}

function options(palette: Palette, input: CurveInput, width: number): uPlot.Options {
  const { curves, over, chosen } = input;
  const size = (tick: number) => (isPower(tick / 4, 32) ? formatSize(tick) : null);
  const count = (tick: number) => (isPower(tick, 2) ? String(tick) : null);
  return {
    ...logOptions(palette, width, {
      height: HEIGHT,
      fontSize: 10,
      names: NAMES,
      left: 52,
      xWords: over === 'bytes' ? size : count,
      yWords: (tick) => (isPower(tick, 10) ? formatTime(tick) : null),
    }),
    series: [
      {},
      ...curves.map(({ algorithm }) => ({
        label: algorithm,
        stroke: algorithm === chosen ? palette.accent : palette.ink,
        width: algorithm === chosen ? 2.2 : 1.1,
        alpha: algorithm === chosen ? 1 : 0.75,
        dash: dashOf(algorithm),
        points: { show: false },
        spanGaps: true,
      })),
    ],
    hooks: { draw: [(plot) => drawWords(plot, palette, input)] },
  };
}

/** Draws the names at the ends of lines without overlap, the marks, and the position of the lab's figure. */
function drawWords(plot: uPlot, palette: Palette, { curves, over, chosen, here, marks }: CurveInput): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const of = xOf(over);
  const { left, top, width, height } = plot.bbox;
  ctx.save();
  ctx.font = `${10.5 * ratio}px ${palette.sans}`;
  ctx.textBaseline = 'middle';
  const x = (value: number) => plot.valToPos(value, 'x', true);
  const y = (value: number) => plot.valToPos(value, 'y', true);
  if (here > 0 && x(here) >= left - 1 && x(here) <= left + width + 1) {
    ctx.strokeStyle = palette.line;
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(x(here), top);
    ctx.lineTo(x(here), top + height);
    ctx.stroke();
    ctx.fillStyle = palette.soft;
    ctx.textAlign = 'center';
    ctx.fillText(
      'shown above',
      Math.min(left + width - 30 * ratio, Math.max(left + 32 * ratio, x(here))),
      top - 7 * ratio,
    );
  }
  const alike = (a: LabCurve, b: LabCurve) =>
    a.points.every(({ timeUs }, i) => Math.abs(timeUs - (b.points[i]?.timeUs ?? 0)) <= 1e-3 * timeUs);
  const ends = curves.flatMap((curve, i) => {
    const last = curve.points.at(-1);
    // Curves that coincide share a name.
    if (!last || last.timeUs === 0 || curves.slice(0, i).some((other) => alike(curve, other))) return [];
    const same = curves.filter((other) => alike(curve, other));
    const name = same.map(({ algorithm }) => ALGORITHMS[algorithm].short).join(' = ');
    const colour = same.some(({ algorithm }) => algorithm === chosen) ? palette.accent : palette.ink;
    return [{ name, colour, x: x(of(last)), y: y(last.timeUs) }];
  });
  drawNames(plot, ends, { gap: 6, apart: 12 });
  // Letters of neighbouring crossovers are placed at different heights, so that they do not overlap.
  const placed: { readonly x: number; readonly y: number }[] = [];
  ctx.textAlign = 'center';
  for (const mark of [...marks].sort((a, b) => a.x - b.x)) {
    const at = { x: x(mark.x), y: y(mark.y) };
    ctx.fillStyle = palette.card;
    ctx.strokeStyle = palette.accent;
    ctx.lineWidth = 1.6 * ratio;
    ctx.beginPath();
    ctx.arc(at.x, at.y, 3.5 * ratio, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
    let letterY = at.y - 12 * ratio;
    const taken = (y: number) =>
      placed.some((other) => Math.abs(other.x - at.x) < 10 * ratio && Math.abs(other.y - y) < 11 * ratio);
    while (taken(letterY)) letterY -= 12 * ratio;
    placed.push({ x: at.x, y: letterY });
    ctx.fillStyle = palette.accent;
    ctx.fillText(mark.text, at.x, letterY);
  }
  ctx.restore();
}
