/**
 * The few scales of the canvases: a line from numbers to pixels, its ticks, and ramps of colours. By the formulas of
 * d3-scale, d3-array and d3-interpolate (scales.test.ts holds them against these), which are not used themselves: the
 * page would fetch 13 kB of formats, colour spaces and palettes with them.
 */

export interface ScaleInterval {
  readonly from: number;
  readonly to: number;
}

/** Maps one interval to another; an empty one to the middle. */
export function linearScale(domain: ScaleInterval, range: ScaleInterval): (value: number) => number {
  const width = domain.to - domain.from;
  return (value) => range.from + (width === 0 ? 0.5 : (value - domain.from) / width) * (range.to - range.from);
}

/** A power of ten times 1, 2 or 5, as the number of steps in 1 where it is less than that: divisions are exact. */
interface Step {
  readonly size: number;
  readonly perOne: boolean;
}

/** Cuts the interval into about `count` parts. */
function stepOf({ from, to }: ScaleInterval, count: number): Step {
  const step = (to - from) / Math.max(1, count);
  const power = Math.floor(Math.log10(step));
  const error = step / 10 ** power;
  const factor = error >= Math.sqrt(50) ? 10 : error >= Math.sqrt(10) ? 5 : error >= Math.sqrt(2) ? 2 : 1;
  return power < 0 ? { size: 10 ** -power / factor, perOne: true } : { size: 10 ** power * factor, perOne: false };
}

const stepsIn = (value: number, { size, perOne }: Step): number => (perOne ? value * size : value / size);
const multiple = (k: number, { size, perOne }: Step): number => (perOne ? k / size : k * size);

/** Round numbers inside an interval that does not run backwards. */
export function ticks(domain: ScaleInterval, count: number): readonly number[] {
  if (domain.to === domain.from) return [domain.from];
  const step = stepOf(domain, count);
  let first = Math.round(stepsIn(domain.from, step));
  let last = Math.round(stepsIn(domain.to, step));
  if (multiple(first, step) < domain.from) first++;
  if (multiple(last, step) > domain.to) last--;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => multiple(first + i, step));
}

/** The interval with its ends moved outwards to round numbers. */
export function nice(domain: ScaleInterval, count = 10): ScaleInterval {
  if (domain.to === domain.from) return domain;
  const step = stepOf(domain, count);
  return {
    from: multiple(Math.floor(stepsIn(domain.from, step)), step),
    to: multiple(Math.ceil(stepsIn(domain.to, step)), step),
  };
}

export type Rgb = readonly [number, number, number];
/** CSS colour of a place from 0 to 1. */
export type Ramp = (t: number) => string;

/** Of '#dd7a1a', or of '#fff': the build writes colours of the style sheet as short as it can. */
export const hexRgb = (hex: string): Rgb => {
  const [, digits = ''] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(hex) ?? [];
  const wide = digits.length / 3;
  const channel = (k: number) => Number.parseInt(digits.slice(k * wide, (k + 1) * wide).repeat(wide === 1 ? 2 : 1), 16);
  return [channel(0), channel(1), channel(2)];
};

const css = (channel: (k: 0 | 1 | 2) => number): string => {
  const byte = (k: 0 | 1 | 2) => Math.max(0, Math.min(255, Math.round(channel(k))));
  return `rgb(${byte(0)}, ${byte(1)}, ${byte(2)})`;
};

/** Divides 0..1 into equal pieces: the index of the piece that contains `t`, and the place within it, 0..1. */
function pieceAt(t: number, pieces: number): readonly [piece: number, within: number] {
  const clamped = Math.max(0, Math.min(1, t));
  const piece = Math.min(pieces - 1, Math.floor(clamped * pieces));
  return [piece, (clamped - piece / pieces) * pieces];
}

const colourAt = (colours: readonly Rgb[], index: number): Rgb => colours[index] ?? [0, 0, 0];

/** From colour to colour in straight lines. */
export const linearRamp =
  (colours: readonly Rgb[]): Ramp =>
  (t) => {
    const [piece, within] = pieceAt(t, colours.length - 1);
    const [a, b] = [colourAt(colours, piece), colourAt(colours, piece + 1)];
    return css((k) => a[k] * (1 - within) + b[k] * within);
  };
