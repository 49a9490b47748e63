/** The losses of two runs as uPlot draws them: A solid, B dashed. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { POINT_OF_ONE } from '../draw/point-of-one';
import type { Palette } from '../draw/theme';
import { lossOptions } from '../result/loss-options';
import type { LossesOfBoth } from './join-losses';

const HEIGHT = 170;

export function createDuoPlot(
  element: HTMLElement,
  palette: Palette,
): { show(of: LossesOfBoth): void; destroy(): void } {
  const line = { points: POINT_OF_ONE, spanGaps: true };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      ...lossOptions(palette),
      series: [
        {},
        { ...line, stroke: palette.ink, width: 1.8 },
        { ...line, stroke: palette.accent, width: 2, dash: [5, 4] },
      ],
    },
    [[], [], []],
    element,
  );
  const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  resize.observe(element);
  return {
    show: ({ steps, a, b }) => plot.setData([[...steps], [...a], [...b]]),
    destroy() {
      resize.disconnect();
      plot.destroy();
    },
  };
}
