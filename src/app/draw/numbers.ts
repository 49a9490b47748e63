/**
 * Numbers as stage and timeline write them: bytes in the units of memory (KiB), times in microseconds and up, values with four significant
 * digits. Pure.
 */
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const fourDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, useGrouping: false });

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? plain.format(value) : value >= 100 ? plain.format(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

export function formatUs(us: number): string {
  if (us >= 1e6) return `${threeDigits.format(us / 1e6)} s`;
  if (us >= 1000) return `${threeDigits.format(us / 1000)} ms`;
  return `${threeDigits.format(us)} µs`;
}

/** A value of a tensor: 0.0123, -1.2e-7, NaN. */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2);
  return fourDigits.format(value);
}

export const formatPercent = (fraction: number): string =>
  fraction < 0.0001 && fraction > 0 ? '< 0.01 %' : `${threeDigits.format(100 * fraction)} %`;
