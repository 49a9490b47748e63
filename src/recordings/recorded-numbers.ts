/** Formats numbers of recordings for sentences and tables. */
import { brief, firstFew } from '../base/brief';
import type { FlightEntry } from './flight/flight-recording';
import type { RecordingRank } from './recording';

/** "850 µs", "4.3 ms", "1.25 s". */
export function durationText(us: number): string {
  if (!Number.isFinite(us)) return '?';
  const size = Math.abs(us);
  if (size < 999.5) return `${size < 10 ? Number(us.toFixed(1)) : Math.round(us)} µs`;
  if (size < 999_500) return `${(us / 1000).toFixed(size < 99_950 ? 1 : 0)} ms`;
  return `${(us / 1e6).toFixed(2)} s`;
}

/** "273 kB", "25.6 MB": powers of 1000, as for bandwidths. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const percentText = (share: number): string => `${Math.round(100 * share)} %`;

/** A bandwidth, given in GB/s: "4.6 MB/s", "0.16 GB/s", "234 GB/s"; "?" if unknown. */
export function bandwidthText(gigabytes: number | undefined): string {
  if (gigabytes === undefined) return '?';
  if (gigabytes > 0 && gigabytes < 1e-4) return `${(1e6 * gigabytes).toFixed(1)} kB/s`;
  if (gigabytes > 0 && gigabytes < 0.1) return `${(1000 * gigabytes).toFixed(1)} MB/s`;
  return `${gigabytes.toFixed(gigabytes >= 100 ? 0 : gigabytes >= 10 ? 1 : 2)} GB/s`;
}

/** "rank 2", "ranks 0 and 1", "ranks 0, 1, 2 and 5 more". */
export function ranksText(ranks: readonly RecordingRank[]): string {
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const shown = ranks.length > MOST_RANKS + 1 ? ranks.slice(0, MOST_RANKS) : ranks.slice(0, -1);
  const rest = ranks.length > MOST_RANKS + 1 ? `${ranks.length - MOST_RANKS} more` : `${ranks.at(-1)}`;
  return `ranks ${shown.join(', ')} and ${rest}`;
}

const MOST_RANKS = 8;

/** "[20]", "[3, 4] and 2 more". */
export function sizesText(sizes: readonly (readonly number[])[]): string {
  const [first] = sizes;
  if (!first) return 'nothing';
  return `[${firstFew(first.map(String), 8)}]${sizes.length > 1 ? ` and ${sizes.length - 1} more` : ''}`;
}

/** "all_reduce of [20], Float". */
export function callText({ kind, inputSizes, outputSizes, inputDtypes }: FlightEntry): string {
  const sizes = inputSizes.length > 0 ? inputSizes : outputSizes;
  const [dtype] = inputDtypes;
  return `${brief(kind)} of ${sizesText(sizes)}${dtype === undefined || dtype === '' ? '' : `, ${brief(dtype)}`}`;
}
