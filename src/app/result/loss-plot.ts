/**
 * The loss chart itself: one line per rank in its hue, their mean in ink, the test loss dashed. uPlot draws.
 * loss-plot-view.tsx puts it on the page.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatTick } from '../draw/format';
import type { Palette } from '../shell/theme';
import type { LossSeries } from './loss-series';

const HEIGHT = 150;

export interface LossPlot {
  show(series: LossSeries): void;
  destroy(): void;
}

export function createLossPlot(element: HTMLElement, palette: Palette, ranks: number): LossPlot {
  const empty: uPlot.AlignedData = [[], ...Array.from({ length: ranks + 2 }, () => [])];
  const plot = new uPlot(options(palette, ranks, element.clientWidth), empty, element);
  const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  resize.observe(element);
  return {
    show({ steps, perRank, mean, test }) {
      // Another number of ranks gets another plot; this one has not heard of it yet.
      if (perRank.length !== ranks) return;
      plot.setData([[...steps], ...perRank.map((rank) => [...rank]), [...mean], [...test]]);
    },
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
}

function options(palette: Palette, ranks: number, width: number): uPlot.Options {
  const axis = { stroke: palette.soft, font: `10px ${palette.sans}`, ticks: { show: false }, gap: 2 };
  const hidden = { points: { show: false } };
  const rankLine = (rank: number) => ({
    ...hidden,
    stroke: palette.ranks[rank] ?? palette.soft,
    width: 0.9,
    alpha: 0.6,
  });
  return {
    width,
    height: HEIGHT,
    padding: [6, 12, 0, 0],
    legend: { show: false },
    cursor: { ...hidden, drag: { x: false, y: false } },
    scales: {
      x: { time: false },
      y: { range: (_, low, high) => [Math.min(0, low), high === low ? low + 1 : high * 1.05] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 20, space: 44 },
      {
        ...axis,
        grid: { stroke: palette.hair, width: 1 },
        size: 34,
        space: 28,
        values: (_, ticks) => ticks.map(formatTick),
      },
    ],
    series: [
      {},
      ...Array.from({ length: ranks }, (_, rank) => rankLine(rank)),
      { ...hidden, stroke: palette.ink, width: 1.6 },
      { ...hidden, stroke: palette.accent, width: 1.3, dash: [4, 3], spanGaps: true },
    ],
  };
}
