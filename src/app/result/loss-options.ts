/** Options shared by all loss plots: the axes exist from the start, steps below, losses from 0 up. */
import type uPlot from 'uplot';
import { formatTick } from '../draw/format';
import type { Palette } from '../draw/theme';
import { FIRST_STEPS, PAD, STEP_TICKS, topOf, X_AXIS, Y_AXIS } from './loss-frame';

export function lossOptions(palette: Palette): Omit<uPlot.Options, 'width' | 'height' | 'series'> {
  const axis = { stroke: palette.soft, font: `11px ${palette.sans}`, ticks: { show: false }, gap: 2 };
  return {
    padding: [PAD.top, PAD.right, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_, __, high) => [0, Math.max(FIRST_STEPS, high)] },
      y: { range: (_, low, high) => [Math.min(0, low), topOf(high)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: X_AXIS, space: 44, incrs: [...STEP_TICKS] },
      {
        ...axis,
        grid: { stroke: palette.hair, width: 1 },
        size: Y_AXIS,
        space: 28,
        values: (_, ticks) => ticks.map(formatTick),
      },
    ],
  };
}
