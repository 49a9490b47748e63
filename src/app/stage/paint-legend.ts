/**
 * Paints the legend below a saved picture of the stage, in two lines (on the page: legend.tsx): the scale, its end for
 * each kind of value, and, if chunks show whose values they hold, the ranks' hues. Loaded with the first picture.
 */
import { formatTick } from '../draw/format';
import type { Ink } from '../draw/ink';
import { drawText } from '../draw/text';
import { powerOfTen, unitOf } from '../draw/value-scale';
import type { StepPicture } from './step-picture';
import { MOST_HUES, VALUE_KINDS, type ValueKind } from './value-scales';

export const LEGEND_HEIGHT = 42;
const LINE = 18;
const RAMP = { steps: 24, width: 96, height: 9 } as const;
const TEXT = { size: 11.5 } as const;
const SWATCH = 9;
const NAMES: Readonly<Record<ValueKind, string>> = {
  weight: 'weights',
  activation: 'activations',
  gradient: 'gradients',
  delta: 'δ',
  sum: 'chunks',
};

/** The ends of the scales of this step, in words. */
function ends({ scales }: Pick<StepPicture, 'scales'>): readonly string[] {
  const kinds = VALUE_KINDS.flatMap((kind) => {
    const end = scales.end(kind);
    return end === undefined ? [] : [`${NAMES[kind]} ±${formatTick(end)}`];
  });
  const sums = scales.end('sum');
  return sums === undefined ? kinds : [...kinds, `printed × ${powerOfTen(unitOf(sums))}`];
}

/** `titles`: the devices' names, in the order of their hues. Words that do not fit are left out. */
export function paintLegend(
  ink: Ink,
  at: { readonly x: number; readonly y: number; readonly width: number },
  step: Pick<StepPicture, 'scales'>,
  titles: readonly string[],
): void {
  const { context, palette, measure } = ink;
  let baseline = at.y + 14;
  let { x } = at;
  const say = (text: string, gap: number): boolean => {
    const width = measure(text, TEXT);
    if (x + width > at.x + at.width) return false;
    drawText(ink, text, { x, y: baseline }, { ...TEXT, colour: palette.soft });
    x += width + gap;
    return true;
  };
  say('−', 4);
  for (let i = 0; i < RAMP.steps; i++) {
    const value = (2 * i) / (RAMP.steps - 1) - 1;
    context.fillStyle = palette.diverging(Math.sign(value) * Math.abs(value) ** 0.7);
    context.fillRect(x, baseline - RAMP.height, RAMP.width / RAMP.steps, RAMP.height);
    x += RAMP.width / RAMP.steps;
  }
  x += 4;
  say('+', 14);
  for (const text of ends(step)) if (!say(text, 12)) break;
  const [first] = titles;
  const last = titles.at(-1);
  if (step.scales.end('sum') === undefined || first === undefined || last === undefined || titles.length < 2) return;
  baseline += LINE;
  x = at.x;
  say('whose values a chunk holds:', 8);
  say(first, 5);
  for (const device of titles.slice(0, MOST_HUES).keys()) {
    context.fillStyle = palette.ranks[device % palette.ranks.length] ?? palette.soft;
    context.fillRect(x, baseline - SWATCH, SWATCH, SWATCH);
    x += SWATCH + 1;
  }
  x += 4;
  say(last, 0);
}
