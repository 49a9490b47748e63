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

/** `devices`: those that have a line each. */
export function createLossPlot(element: HTMLElement, palette: Palette, devices: readonly number[]): LossPlot {
  const empty: uPlot.AlignedData = [[], ...Array.from({ length: devices.length + 2 }, () => [])];
  const plot = new uPlot({ ...options(palette, devices), ...sizeOf(element) }, empty, element);
  const resize = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  resize.observe(element);
  return {
    show({ steps, perPart, mean, test }) {
      // Other devices get a new plot; this plot may still receive the new data first.
      if (perPart.length !== devices.length) return;
      plot.setData([[...steps], ...perPart.map(({ values }) => [...values]), [...mean], [...test]]);
    },
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ width: clientWidth, height: clientHeight });

function options(palette: Palette, devices: readonly number[]): Omit<uPlot.Options, 'width' | 'height'> {
  const line = { points: POINT_OF_ONE };
  const lineOf = (device: number) => ({
    ...line,
    stroke: palette.ranks[device % palette.ranks.length] ?? palette.soft,
    width: 0.9,
    alpha: 0.6,
  });
  return {
    ...lossOptions(palette),
    series: [
      {},
      ...devices.map(lineOf),
      { ...line, stroke: palette.ink, width: 1.6 },
      { ...line, stroke: palette.accent, width: 1.3, dash: [4, 3], spanGaps: true },
    ],
  };
}
