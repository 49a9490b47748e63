/**
 * How the difference from one device grows, as a figure to save: the curves of growth-plot.ts, drawn without the
 * chart's library, which draws only on its own canvas.
 */
import type { DifferenceAt } from '../../../protocol/snapshot';
import { formatCount } from '../../draw/format';
import type { Size } from '../../draw/geometry';
import type { Ink } from '../../draw/ink';
import { linearScale } from '../../draw/scales';
import { line } from '../../draw/shapes';
import { drawText } from '../../draw/text';
import type { SavedFigure } from '../../picture/figure-picture';
import { stepTicks } from '../loss-frame';

const SIZE: Size = { width: 640, height: 340 };
const FRAME = { left: 58, right: 18, top: 40, bottom: 44 } as const;
const SMALL = { size: 11 } as const;
const FEWEST_DECADES = 3;
const TICKS = 6;

type Curve = readonly DifferenceAt[];

/** A logarithmic axis cannot show 0. */
const shown = (curve: Curve): Curve => curve.filter(({ value }) => Number.isFinite(value) && value > 0);

function paintGrowth(ink: Ink, own: Curve, control: Curve): void {
  const { context, palette } = ink;
  const { width, height } = SIZE;
  const logs = [...own, ...control].map(({ value }) => Math.log10(value));
  const low = Math.floor(Math.min(...logs));
  const high = Math.max(low + FEWEST_DECADES, Math.ceil(Math.max(...logs)));
  const lastStep = Math.max(1, ...[...own, ...control].map(({ step }) => step));
  const x = linearScale({ from: 0, to: lastStep }, { from: FRAME.left, to: width - FRAME.right });
  const y = linearScale({ from: low, to: high }, { from: height - FRAME.bottom, to: FRAME.top });
  for (let decade = low; decade <= high; decade++) {
    const across = [FRAME.left, width - FRAME.right].map((at) => ({ x: at, y: y(decade) }));
    line(context, across, { colour: decade === low ? palette.soft : palette.hair, width: 0.8, dash: [] });
    const at = { x: FRAME.left - 8, y: y(decade) + 4 };
    drawText(ink, `1e${decade}`, at, { ...SMALL, colour: palette.soft, align: 'right' });
  }
  for (const tick of stepTicks(lastStep, TICKS)) {
    const at = { x: x(tick), y: height - FRAME.bottom + 16 };
    drawText(ink, formatCount(tick), at, { ...SMALL, colour: palette.soft, align: 'center' });
  }
  drawText(ink, 'step', { x: width - FRAME.right, y: height - 10 }, { ...SMALL, colour: palette.soft, align: 'right' });
  const curves = [
    { curve: own, text: 'this run against one device', colour: palette.accent, width: 1.8, dash: [] },
    { curve: control, text: 'control: one device against itself', colour: palette.ink, width: 1.4, dash: [4, 3] },
  ];
  for (const [i, { curve, text, ...style }] of curves.entries()) {
    const points = curve.map(({ step, value }) => ({ x: x(step), y: y(Math.log10(value)) }));
    if (points.length > 1) line(context, points, style);
    const at = { x: FRAME.left + i * 240, y: 18 };
    line(context, [at, { ...at, x: at.x + 18 }], style);
    drawText(ink, text, { x: at.x + 24, y: at.y + 4 }, { ...SMALL, colour: palette.ink });
  }
}

/** `own`: the run's curve; `control`: the curve of the run that started one unit in the last place away. */
export function growthFigure(own: Curve, control: Curve): SavedFigure {
  const curves = [shown(own), shown(control)] as const;
  return {
    async picture() {
      if (curves[0].length + curves[1].length === 0) return undefined;
      return {
        ...SIZE,
        paint: (ink) => paintGrowth(ink, ...curves),
        caption: (run) => `${run}: max |Δw| over all weights against one device, on a logarithmic axis.`,
      };
    },
    csv() {
      const control = new Map(curves[1].map(({ step, value }) => [step, value]));
      const rows = curves[0].map(({ step, value }) => `${step},${value},${control.get(step) ?? ''}`);
      return ['step,run,control', ...rows, ''].join('\n');
    },
  };
}
