/** Formats all numbers on the page, with Intl. */
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const NONE = '–';

export const formatCount = (value: number): string => whole.format(value);
/**
 * A step by its number on the page, where the first one is step 1: when it is done, one step is done, and bar, timeline
 * and stage say the same. Records, reports and the command line count from 0, as scripts do.
 */
export const stepNumber = (index: number): string => formatCount(index + 1);

/** Exact below a megabyte, so that the reader can compare it with the formula. */
export function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${whole.format(bytes)} B` : formatSize(bytes);
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${whole.format(bytes)} B`;
  if (bytes < 2 ** 20) return `${three.format(bytes / 1024)} KiB`;
  if (bytes < 2 ** 30) return `${three.format(bytes / 2 ** 20)} MiB`;
  return `${three.format(bytes / 2 ** 30)} GiB`;
}

export function formatLoss(value: number | undefined): string {
  if (value === undefined) return NONE;
  if (!Number.isFinite(value)) return String(value);
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(2) : value.toFixed(4);
}

/** As short as possible, for an axis. */
export const formatTick = (value: number): string =>
  value === 0 || (Math.abs(value) >= 0.01 && Math.abs(value) < 1e4) ? three.format(value) : value.toExponential(0);

/** A difference that is zero or tiny: "0", "2.4e-7". */
export function formatSmall(value: number | undefined): string {
  if (value === undefined) return NONE;
  if (value === 0) return '0';
  return value < 1e-2 ? value.toExponential(1) : three.format(value);
}

export const formatPercent = (fraction: number | undefined): string =>
  fraction === undefined ? NONE : `${percents.format(fraction * 100)} %`;

export const formatRate = (perSecond: number): string =>
  perSecond >= 100 ? whole.format(perSecond) : three.format(perSecond);

export function formatTime(us: number): string {
  if (us < 1000) return `${three.format(us)} µs`;
  return us < 1e6 ? `${three.format(us / 1000)} ms` : `${three.format(us / 1e6)} s`;
}

/** Shares of one whole as whole percents that add up to 100: the largest remainders are rounded up. */
export function wholePercents(shares: readonly number[]): readonly number[] {
  const sum = shares.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) return shares.map(() => 0);
  const exact = shares.map((share) => (100 * share) / sum);
  const missing = 100 - exact.reduce((n, value) => n + Math.floor(value), 0);
  const rest = (index: number) => (exact[index] ?? 0) % 1;
  const up = new Set([...exact.keys()].sort((a, b) => rest(b) - rest(a)).slice(0, missing));
  return exact.map((value, index) => Math.floor(value) + (up.has(index) ? 1 : 0));
}
