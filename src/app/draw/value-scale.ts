/**
 * How a value becomes a colour: by its share of the end of its scale, to the power of 0.7, so that typical values are
 * plainly coloured. Each kind of value has an end of its own (stage/value-scales finds them). Pure.
 */
const POWER = 0.7;

/** -1..1 for the palette's diverging ramp; NaN stays NaN. */
export const scaleValue = (value: number, end: number): number =>
  Math.sign(value) * Math.min(1, (Math.abs(value) / end) ** POWER);

const QUANTILE = 0.98;
const ROUND = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** A round number above nearly all sizes. Sorts `sizes` in place. */
export function endOfScale(sizes: Float32Array): number {
  sizes.sort();
  const most = sizes[Math.floor(QUANTILE * (sizes.length - 1))] ?? 0;
  if (!(most > 0)) return 1;
  const power = Math.floor(Math.log10(most));
  const digits = most / 10 ** power;
  const round = ROUND.find((r) => r >= digits - 1e-9) ?? 10;
  return power < 0 ? round / 10 ** -power : round * 10 ** power;
}

/** Of a scale: the power of ten in units of which its values have two digits, -3 for 0.046. */
export const unitOf = (end: number): number => Math.floor(Math.log10(end) + 1e-9) - 1;

/** A value in such units, as it is printed into a cell: '−34'. */
export function inUnits(value: number, unit: number): string {
  if (!Number.isFinite(value)) return String(value);
  const whole = Math.round(value / 10 ** unit);
  return whole < 0 ? `−${-whole}` : String(whole + 0);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** '10⁻³' */
export const powerOfTen = (unit: number): string =>
  unit === 0
    ? '1'
    : `10${unit < 0 ? '⁻' : ''}${[...String(Math.abs(unit))].map((d) => SUPERSCRIPTS[Number(d)]).join('')}`;
