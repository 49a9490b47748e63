/** Formats the numbers of a lesson, in its pages and in its figures. */
import { formatBytes, formatCount, formatLoss, formatPercent, formatSmall, formatTime } from '../../app/draw/format';

const three = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Formats microseconds as a duration of up to days: `2.4 h`. */
function formatDuration(us: number): string {
  const minutes = us / 6e7;
  if (minutes < 2) return formatTime(us);
  if (minutes < 120) return `${three.format(minutes)} min`;
  return minutes < 48 * 60 ? `${three.format(minutes / 60)} h` : `${three.format(minutes / 1440)} days`;
}

/** How a number is written; `count` is a plain number, `duration` a time of up to days. */
export type Format = 'bytes' | 'count' | 'time' | 'percent' | 'small' | 'loss' | 'plain' | 'times' | 'duration';

const WRITERS: Readonly<Record<Format, (value: number) => string>> = {
  bytes: formatBytes,
  count: formatCount,
  time: formatTime,
  percent: formatPercent,
  small: formatSmall,
  loss: formatLoss,
  plain: String,
  times: (value) => `${Number(value.toPrecision(2))}`,
  duration: formatDuration,
};

export const write = (value: number, format: Format): string => WRITERS[format](value);
