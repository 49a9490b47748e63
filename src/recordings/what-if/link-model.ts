/**
 * The time of an all-reduce by its size: latency + bytes / bandwidth. Fitted to the medians of the recorded sizes by
 * least squares, with neither value below zero; a single size gives a bandwidth without latency. Called by
 * `what-if.ts`.
 */
import { median } from '../traces/align-clocks';

export interface LinkModel {
  readonly latencyUs: number;
  /** Algorithm bandwidth: GB/s of the tensor's bytes. */
  readonly algorithmBandwidth: number;
  /** recorded: fitted. given: the user's or a preset's numbers. */
  readonly from: 'recorded' | 'given';
  /** The numbers of sizes and transfers used for the fit. */
  readonly sizes: number;
  readonly transfers: number;
}

export const transferUs = ({ latencyUs, algorithmBandwidth }: LinkModel, bytes: number): number =>
  latencyUs + bytes / (algorithmBandwidth * 1000);

export function fitLink(transfers: readonly { readonly bytes: number; readonly us: number }[]): LinkModel {
  const sizes = [...new Set(transfers.map(({ bytes }) => bytes))];
  const points = sizes.map((bytes) => ({
    bytes,
    us: median(transfers.filter((of) => of.bytes === bytes).map(({ us }) => us)),
  }));
  const known = { from: 'recorded', sizes: sizes.length, transfers: transfers.length } as const;
  const meanBytes = mean(points.map(({ bytes }) => bytes));
  const meanUs = mean(points.map(({ us }) => us));
  const spread = points.reduce((sum, { bytes }) => sum + (bytes - meanBytes) ** 2, 0);
  const slope = points.reduce((sum, { bytes, us }) => sum + (bytes - meanBytes) * (us - meanUs), 0) / (spread || 1);
  // If times do not grow with the size, all is latency; if they grow faster than the size, there is no latency.
  if (points.length > 1 && slope <= 0) {
    return { latencyUs: meanUs, algorithmBandwidth: Number.POSITIVE_INFINITY, ...known };
  }
  const latencyUs = points.length > 1 ? meanUs - slope * meanBytes : 0;
  if (latencyUs >= 0 && points.length > 1) return { latencyUs, algorithmBandwidth: 1 / (1000 * slope), ...known };
  const perByte =
    points.reduce((sum, { bytes, us }) => sum + bytes * us, 0) / points.reduce((sum, p) => sum + p.bytes ** 2, 0);
  return { latencyUs: 0, algorithmBandwidth: 1 / (1000 * perByte), ...known };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
