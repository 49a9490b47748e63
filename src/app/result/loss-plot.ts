/**
 * The loss chart itself: one line per rank in its hue, their mean in ink, the test loss dashed. uPlot draws.
 * loss-plot-view.tsx puts it on the page.
 */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { POINT_OF_ONE } from '../draw/point-of-one';
import type { Palette } from '../draw/theme';
import { lossOptions } from './loss-options';
import type { LossSeries } from './loss-series';

export interface LossPlot {
  show(series: LossSeries): void;
  destroy(): void;
}

export function createLossPlot(element: HTMLElement, palette: Palette, ranks: number): LossPlot {
  const empty: uPlot.AlignedData = [[], ...Array.from({ length: ranks + 2 }, () => [])];
  const plot = new uPlot({ ...options(palette, ranks), ...sizeOf(element) }, empty, element);
  const resize = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  resize.observe(element);
  return {
    show({ steps, perRank, mean, test }) {
      // A different number of ranks gets a new plot; this plot may still receive the new data first.
      if (perRank.length !== ranks) return;
      plot.setData([[...steps], ...perRank.map((rank) => [...rank]), [...mean], [...test]]);
    },
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ width: clientWidth, height: clientHeight });

function options(palette: Palette, ranks: number): Omit<uPlot.Options, 'width' | 'height'> {
  const line = { points: POINT_OF_ONE };
  const rankLine = (rank: number) => ({
    ...line,
    stroke: palette.ranks[rank] ?? palette.soft,
    width: 0.9,
    alpha: 0.6,
  });
  return {
    ...lossOptions(palette),
    series: [
      {},
      ...Array.from({ length: ranks }, (_, rank) => rankLine(rank)),
      { ...line, stroke: palette.ink, width: 1.6 },
      { ...line, stroke: palette.accent, width: 1.3, dash: [4, 3], spanGaps: true },
    ],
  };
}
