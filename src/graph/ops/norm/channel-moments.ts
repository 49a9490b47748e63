/**
 * CPU counterparts of norm/moments, norm/moments-combine and norm/grad-sums: the same parts, added up in double
 * precision. Used by batch and group norm.
 */
import type { HostArray } from '../../../tensor/shape';
import { partsOf, type Split } from './channels';

/** Calls `visit` for every part of every channel, with its place in the scratch and its elements. */
function forEachPart(s: Split, visit: (out: number, channel: number, slice: number, lane: number) => void): void {
  let out = 0;
  for (let channel = 0; channel < s.channels; channel++)
    for (let slice = 0; slice < s.slices; slice++)
      for (let lane = 0; lane < s.lanes; lane++) visit(out++, channel, slice, lane);
}

/** For each part, the mean and the sum of squared deviations from the mean. */
export function moments(x: HostArray, s: Split, partial: HostArray): void {
  const { batch, channels, plane, slices, lanes, width } = s;
  const second = channels * partsOf(s);
  forEachPart(s, (out, channel, slice, lane) => {
    let sum = 0;
    let count = 0;
    for (let n = slice; n < batch; n += slices) {
      const row = (n * channels + channel) * plane;
      for (let p = lane * width; p < plane; p += lanes * width, count += width)
        for (let i = row + p; i < row + p + width; i++) sum += x[i] as number;
    }
    const mean = sum / count;
    let squares = 0;
    for (let n = slice; n < batch; n += slices) {
      const row = (n * channels + channel) * plane;
      for (let p = lane * width; p < plane; p += lanes * width)
        for (let i = row + p; i < row + p + width; i++) {
          const d = (x[i] as number) - mean;
          squares += d * d;
        }
    }
    partial[out] = mean;
    partial[out + second] = squares;
  });
}

/** Combines the parts of a channel with the formula of Chan et al. */
export function joinMoments(partial: HostArray, s: Split, channel: number): { mean: number; squares: number } {
  const parts = partsOf(s);
  const start = channel * parts;
  const elementsOf = (part: number): number => {
    const rows = Math.ceil((s.batch - Math.floor(part / s.lanes)) / s.slices);
    return rows * s.width * Math.ceil((s.plane / s.width - (part % s.lanes)) / s.lanes);
  };
  let mean = 0;
  for (let i = 0; i < parts; i++) mean += elementsOf(i) * (partial[start + i] as number);
  mean /= s.batch * s.plane;
  let squares = 0;
  for (let i = 0; i < parts; i++) {
    const d = (partial[start + i] as number) - mean;
    squares += (partial[s.channels * parts + start + i] as number) + elementsOf(i) * d * d;
  }
  return { mean, squares };
}

/** dy and x, and one mean for every `span` channels. */
interface GradInputs {
  readonly dy: HostArray;
  readonly x: HostArray;
  readonly mean: HostArray;
  readonly span: number;
}

/** For each part, the sums of dy and of dy (x - mean). */
export function gradSums({ dy, x, mean, span }: GradInputs, s: Split, partial: HostArray) {
  const { batch, channels, plane, slices, lanes, width } = s;
  const second = channels * partsOf(s);
  forEachPart(s, (out, channel, slice, lane) => {
    const center = mean[Math.floor(channel / span)] as number;
    let sumDy = 0;
    let sumDyXmu = 0;
    for (let n = slice; n < batch; n += slices) {
      const row = (n * channels + channel) * plane;
      for (let p = lane * width; p < plane; p += lanes * width)
        for (let i = row + p; i < row + p + width; i++) {
          const g = dy[i] as number;
          sumDy += g;
          sumDyXmu += g * ((x[i] as number) - center);
        }
    }
    partial[out] = sumDy;
    partial[out + second] = sumDyXmu;
  });
}

/** Both sums of a channel over its parts. */
export function joinSums(partial: HostArray, s: Split, channel: number): readonly [dy: number, dyXmu: number] {
  const parts = partsOf(s);
  const second = s.channels * parts;
  let sumDy = 0;
  let sumDyXmu = 0;
  for (let i = channel * parts; i < (channel + 1) * parts; i++) {
    sumDy += partial[i] as number;
    sumDyXmu += partial[second + i] as number;
  }
  return [sumDy, sumDyXmu];
}
