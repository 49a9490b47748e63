/**
 * Lines over logarithmic axes, drawn by uPlot: joins the points of all lines into columns, sets the common look, writes
 * names at the ends of lines, and makes and removes the plot in an element. Each plot adds its own drawings. Loaded
 * with its panel.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Palette } from './theme';

export interface LogPoint {
  readonly x: number;
  /** null: no point; a logarithmic axis cannot show 0. */
  readonly y: number | null;
}

/** The lines as columns over all x that any of them has, as uPlot takes them. */
export function columnsOf(lines: readonly (readonly LogPoint[])[]): uPlot.AlignedData {
  const xs = [...new Set(lines.flatMap((points) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const columns = lines.map((points) => {
    const byX = new Map(points.map(({ x, y }) => [x, y]));
    return xs.map((x) => byX.get(x) ?? null);
  });
  return [xs, ...columns];
}

/** Makes a plot as wide as the element, and again when the element's size changes. */
export function plotIn(
  element: HTMLElement,
  height: number,
  options: (width: number) => uPlot.Options,
  data: uPlot.AlignedData,
): { destroy(): void } {
  const plot = new uPlot(options(element.clientWidth), data, element);
  const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
  resize.observe(element);
  return {
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
}

export const isPower = (value: number, base: number): boolean => {
  const exponent = Math.log(value) / Math.log(base);
  return Math.abs(exponent - Math.round(exponent)) < 1e-9;
};

interface LogLooks {
  readonly height: number;
  /** The font size of the axes' words, in pixels. */
  readonly fontSize: number;
  /** Room for the names at the ends of the lines. */
  readonly names: number;
  /** Room for the words of the axis at the left. */
  readonly left: number;
  /** The label of a tick; null: none. */
  readonly xWords: (tick: number) => string | null;
  readonly yWords: (tick: number) => string | null;
}

/** Both axes logarithmic, x to base 2 and y to base 10; no legend and no cursor. */
export function logOptions(palette: Palette, width: number, looks: LogLooks): Omit<uPlot.Options, 'series'> {
  const axis = {
    stroke: palette.soft,
    font: `${looks.fontSize}px ${palette.sans}`,
    ticks: { show: false },
    gap: 3,
    grid: { stroke: palette.hair, width: 1 },
  };
  return {
    width,
    height: looks.height,
    padding: [14, looks.names, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, distr: 3, log: 2 }, y: { distr: 3, log: 10 } },
    axes: [
      { ...axis, size: 24, space: 10, values: (_, ticks) => ticks.map(looks.xWords) },
      { ...axis, size: looks.left, values: (_, ticks) => ticks.map(looks.yWords) },
    ],
  };
}

export interface LineEnd {
  readonly name: string;
  readonly colour: string;
  /** On the plot's canvas. */
  readonly x: number;
  readonly y: number;
}

/** Names at the ends of the lines, kept apart; `gap` right of the line, `apart` from each other, in CSS pixels. */
export function drawNames(
  { ctx }: uPlot,
  ends: readonly LineEnd[],
  { gap, apart }: { readonly gap: number; readonly apart: number },
): void {
  const ratio = devicePixelRatio;
  ctx.textAlign = 'left';
  let free = Number.NEGATIVE_INFINITY;
  for (const { name, colour, x, y } of [...ends].sort((a, b) => a.y - b.y)) {
    const own = Math.max(y, free);
    free = own + apart * ratio;
    ctx.fillStyle = colour;
    ctx.fillText(name, x + gap * ratio, own);
  }
}
