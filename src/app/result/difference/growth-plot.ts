/**
 * The difference over the steps on a logarithmic axis: the run in the accent's colour, the control in ink, dashed.
 * uPlot draws; loaded with the panel.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { DifferenceAt } from '../../../protocol/snapshot';
import { POINT_OF_ONE } from '../../draw/point-of-one';
import type { Palette } from '../../draw/theme';
import { STEP_TICKS } from '../loss-frame';

const HEIGHT = 170;

export interface GrowthPlot {
  show(own: readonly DifferenceAt[], control: readonly DifferenceAt[]): void;
  destroy(): void;
}

/** Both curves over one column of steps; a logarithmic axis cannot show 0. */
export function growthColumns(
  own: readonly DifferenceAt[],
  control: readonly DifferenceAt[],
): [number[], (number | null)[], (number | null)[]] {
  const steps = [...new Set([...own, ...control].map(({ step }) => step))].sort((a, b) => a - b);
  const column = (list: readonly DifferenceAt[]) => {
    const at = new Map(list.map(({ step, value }) => [step, value]));
    return steps.map((step) => {
      const value = at.get(step);
      return value !== undefined && Number.isFinite(value) && value > 0 ? value : null;
    });
  };
  return [steps, column(own), column(control)];
}

export function createGrowthPlot(element: HTMLElement, palette: Palette): GrowthPlot {
  const plot = new uPlot(options(palette, element.clientWidth), [[], [], []], element);
  const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  resize.observe(element);
  return {
    show: (own, control) => plot.setData(growthColumns(own, control)),
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
}

function options(palette: Palette, width: number): uPlot.Options {
  const axis = { stroke: palette.soft, font: `11px ${palette.sans}`, ticks: { show: false }, gap: 2 };
  const decades = (_: uPlot, __: number, low: number, high: number): number[] => {
    const [from, to] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
    return Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
  };
  const line = { points: POINT_OF_ONE, spanGaps: true };
  return {
    width,
    height: HEIGHT,
    padding: [6, 12, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false },
      y: {
        distr: 3,
        log: 10,
        // Whole decades, at least three, so that noise in the last place does not look large.
        range: (_, low, high) => {
          const [from, to] = [Math.floor(Math.log10(low || 1e-8)), Math.ceil(Math.log10(high || 1e-6))];
          return [10 ** from, 10 ** Math.max(to, from + 3)];
        },
      },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 20, space: 44, incrs: [...STEP_TICKS] },
      {
        ...axis,
        grid: { stroke: palette.hair, width: 1 },
        size: 38,
        splits: decades,
        // uPlot's default filter would leave out every second decade.
        filter: (_, splits) => splits,
        values: (_, ticks) => ticks.map((tick) => (tick > 0 ? `1e${Math.round(Math.log10(tick))}` : null)),
      },
    ],
    series: [
      {},
      { ...line, stroke: palette.accent, width: 1.8 },
      { ...line, stroke: palette.ink, width: 1.4, dash: [4, 3] },
    ],
  };
}
