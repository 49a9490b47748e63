/** How the numbers of a lesson are written, in its pages and in its figures. */
import { formatBytes, formatCount, formatLoss, formatPercent, formatSmall, formatTime } from '../../app/draw/format';

/** How a number is written; `count` is a plain number. */
export type Format = 'bytes' | 'count' | 'time' | 'percent' | 'small' | 'loss' | 'plain' | 'times';

const WRITERS: Readonly<Record<Format, (value: number) => string>> = {
  bytes: formatBytes,
  count: formatCount,
  time: formatTime,
  percent: formatPercent,
  small: formatSmall,
  loss: formatLoss,
  plain: String,
  times: (value) => `${Number(value.toPrecision(2))}`,
};

export const write = (value: number, format: Format): string => WRITERS[format](value);
