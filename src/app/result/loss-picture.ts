/**
 * The loss chart as a picture to save: the same lines as loss-plot.ts, drawn without the chart's library, which draws
 * only on its own canvas. Loaded with the first picture.
 */

import { formatCount, formatTick } from '../draw/format';
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { linearScale, type ScaleInterval } from '../draw/scales';
import { line } from '../draw/shapes';
import { drawText } from '../draw/text';
import { stepTicks, ticksTo, topOf } from './loss-frame';
import type { LossSeries } from './loss-series';

export const LOSS_PICTURE: Size = { width: 640, height: 360 };

const FRAME = { left: 62, right: 18, top: 40, bottom: 46 } as const;
const SMALL = { size: 11 } as const;
const TICKS = 6;

export function paintLosses(ink: Ink, series: LossSeries, { width, height }: Size): void {
  const { palette } = ink;
  const columns = [...series.perPart.map(({ values }) => values), series.mean, series.test];
  const highest = Math.max(0, ...columns.flatMap((column) => column.map((value) => value ?? 0)));
  const top = topOf(highest);
  const lastStep = Math.max(1, ...series.steps);
  const x = linearScale({ from: 0, to: lastStep }, { from: FRAME.left, to: width - FRAME.right });
  const y = linearScale({ from: 0, to: top }, { from: height - FRAME.bottom, to: FRAME.top });
  axes(ink, { x, y, top, lastStep, width, height });
  const draw = (column: readonly (number | null)[], colour: string, thick: number, dash?: readonly number[]) => {
    for (const points of runsOf(series.steps, column))
      line(
        ink.context,
        points.map(([step, value]) => ({ x: x(step), y: y(value) })),
        { colour, width: thick, ...(dash ? { dash } : {}) },
      );
  };
  for (const { device, values } of series.perPart)
    draw(values, palette.ranks[device % palette.ranks.length] ?? palette.soft, 0.9);
  draw(series.mean, palette.ink, 2);
  draw(series.test, palette.accent, 1.6, [5, 4]);
  key(ink, series);
}

/** Stretches of a line without a gap; test losses, known only at some steps, are joined across the steps between. */
function runsOf(
  steps: readonly number[],
  column: readonly (number | null)[],
): readonly (readonly (readonly [step: number, value: number])[])[] {
  const known = steps.flatMap((step, index) => {
    const value = column[index];
    return value === null || value === undefined ? [] : [[step, value] as const];
  });
  return known.length < 2 ? [] : [known];
}

interface Axes extends Size {
  readonly x: (step: number) => number;
  readonly y: (loss: number) => number;
  readonly top: number;
  readonly lastStep: number;
}

function axes(ink: Ink, { x, y, top, lastStep, width, height }: Axes): void {
  const { palette, context } = ink;
  const rule = (a: ScaleInterval, b: ScaleInterval, colour: string) =>
    line(
      context,
      [
        { x: a.from, y: b.from },
        { x: a.to, y: b.to },
      ],
      { colour, width: 0.8, dash: [] },
    );
  for (const tick of ticksTo(top, TICKS)) {
    rule({ from: FRAME.left, to: width - FRAME.right }, { from: y(tick), to: y(tick) }, palette.hair);
    const text = formatTick(tick);
    drawText(ink, text, { x: FRAME.left - 8, y: y(tick) + 4 }, { ...SMALL, colour: palette.soft, align: 'right' });
  }
  for (const tick of stepTicks(lastStep, TICKS)) {
    const at = { x: x(tick), y: height - FRAME.bottom + 16 };
    drawText(ink, formatCount(tick), at, { ...SMALL, colour: palette.soft, align: 'center' });
  }
  rule({ from: FRAME.left, to: width - FRAME.right }, { from: y(0), to: y(0) }, palette.soft);
  drawText(ink, 'step', { x: width - FRAME.right, y: height - 10 }, { ...SMALL, colour: palette.soft, align: 'right' });
  drawText(ink, 'loss', { x: FRAME.left, y: FRAME.top - 12 }, { ...SMALL, colour: palette.soft, align: 'right' });
}

/** Draws the key of the lines along the top. */
function key(ink: Ink, series: LossSeries): void {
  const { palette, context, measure } = ink;
  const test = series.test.some((value) => value !== null);
  const entries = [
    { text: series.perPart.length > 0 ? 'mean' : 'loss', colour: palette.ink, width: 2 },
    ...series.perPart.map(({ device, title }) => ({
      text: title,
      colour: palette.ranks[device % palette.ranks.length] ?? palette.soft,
      width: 0.9,
    })),
    ...(test ? [{ text: 'test', colour: palette.accent, width: 1.6 }] : []),
  ];
  let x = FRAME.left + 20;
  for (const { text, colour, width } of entries) {
    line(
      context,
      [
        { x, y: 18 },
        { x: x + 18, y: 18 },
      ],
      { colour, width },
    );
    drawText(ink, text, { x: x + 23, y: 22 }, { ...SMALL, colour: palette.ink });
    x += 23 + measure(text, SMALL) + 16;
  }
}
