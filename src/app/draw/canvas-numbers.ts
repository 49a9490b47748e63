/**
 * Numbers that only the canvases write: a tensor's values, and shares that may be tiny. All others are in ../format.
 * Pure.
 */
const threeDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const fourDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, useGrouping: false });

/** A value of a tensor: 0.0123, -1.20e-7, NaN. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2);
  return fourDigits.format(value);
}

/** A share of a whole: 12.5 %, < 0.01 %. */
export const formatShare = (fraction: number): string =>
  fraction < 0.0001 && fraction > 0 ? '< 0.01 %' : `${threeDigits.format(100 * fraction)} %`;
