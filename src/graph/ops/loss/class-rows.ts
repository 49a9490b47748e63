/**
 * The CPU loops of the classification losses, row by row: losses, the statistics that the backward pass needs, and
 * gradients. Formulas: shaders/loss/cross-entropy.wgsl.
 */
import { LockstepError } from '../../../base/errors';
import type { HostArray } from '../../../tensor/shape';
import type { ClassLayout } from './class-layout';

export interface ClassRows extends ClassLayout {
  readonly logProbs: boolean;
  readonly smoothing: number;
  readonly ignoreIndex: number;
}

export interface ClassInputs {
  readonly x: HostArray;
  readonly target: HostArray;
  /** One number per class. */
  readonly weights: HostArray | undefined;
}

/** Sums over rows: losses, and weights of labels. */
export interface RowSums {
  readonly loss: number;
  readonly weight: number;
}

const f = Math.fround;

const weightOf = (weights: HostArray | undefined, c: number): number => (weights ? (weights[c] as number) : 1);

/** First element of row r. */
const startOf = ({ classes, inner }: ClassRows, r: number): number =>
  inner === 1 ? r * classes : Math.floor(r / inner) * classes * inner + (r % inner);

function checkTarget(t: number, classes: number): void {
  if (t >= 0 && t < classes) return;
  const hint = `The model has ${classes} outputs, so class indices must lie in 0..${classes - 1}.`;
  throw new LockstepError('data', `Target ${t} is out of bounds.`, hint, { target: t, classes });
}

/**
 * Fills `stats` except its last element and, if given, `terms`: the losses of the rows, then their weights if there is
 * room. Returns the sums of both in row order.
 */
export function rowLosses(
  rows: ClassRows,
  { x, target, weights }: ClassInputs,
  stats: HostArray,
  terms: HostArray | undefined,
): RowSums {
  const { classes, inner, probabilities, logProbs, smoothing, ignoreIndex } = rows;
  const n = rows.rows;
  const spread = f(smoothing / classes);
  const keep = f(1 - f(smoothing));
  let [lossSum, weightSum] = [0, 0];
  for (let r = 0; r < n; r++) {
    const start = startOf(rows, r);
    const end = start + classes * inner;
    let [max, logSum] = [0, 0];
    if (!logProbs) {
      max = Number.NEGATIVE_INFINITY;
      let sum = 0;
      for (let i = start; i < end; i += inner) if ((x[i] as number) > max) max = x[i] as number;
      for (let i = start; i < end; i += inner) sum = f(sum + f(Math.exp(f((x[i] as number) - max))));
      if (Number.isNaN(sum)) max = Number.NaN;
      logSum = f(Math.log(sum));
    }
    let [loss, q, weight] = [0, 0, 1];
    let spreads = smoothing > 0;
    if (!probabilities) {
      const t = target[r] as number;
      weight = 0;
      if (t === ignoreIndex) spreads = false;
      else {
        checkTarget(t, classes);
        weight = weightOf(weights, t);
        q = f(keep * weight);
        loss = -f(q * f(f((x[start + t * inner] as number) - max) - logSum));
      }
    }
    if (probabilities || spreads)
      for (let c = 0, i = start; c < classes; c++, i += inner) {
        const share = probabilities ? f(f((target[i] as number) * keep) + spread) : spread;
        const qc = f(share * weightOf(weights, c));
        q = f(q + qc);
        loss = f(loss - f(qc * f(f((x[i] as number) - max) - logSum)));
      }
    stats[r] = max;
    stats[n + r] = logSum;
    stats[2 * n + r] = q;
    lossSum = f(lossSum + loss);
    weightSum = f(weightSum + weight);
    if (!terms) continue;
    terms[r] = loss;
    if (terms.length > n) terms[n + r] = weight;
  }
  return { loss: lossSum, weight: weightSum };
}

/** dx from the stats of the forward pass; `each` is 1 if upstream has one number per row, else 0. */
export function rowGradients(
  rows: ClassRows,
  { x, target, weights }: ClassInputs,
  stats: HostArray,
  { upstream, each }: { readonly upstream: HostArray; readonly each: 0 | 1 },
  dx: HostArray,
): void {
  const { classes, inner, probabilities, logProbs, smoothing, ignoreIndex } = rows;
  const n = rows.rows;
  const spread = f(smoothing / classes);
  const keep = f(1 - f(smoothing));
  const divisor = stats[3 * n] as number;
  for (let r = 0; r < n; r++) {
    const start = startOf(rows, r);
    const scale = f((upstream[r * each] as number) / (each ? 1 : divisor));
    const [max, logSum] = [stats[r] as number, stats[n + r] as number];
    const own = f((stats[2 * n + r] as number) * scale);
    const label = probabilities ? -1 : (target[r] as number);
    const counted = probabilities || label !== ignoreIndex;
    for (let c = 0, i = start; c < classes; c++, i += inner) {
      const share = probabilities
        ? f(f((target[i] as number) * keep) + spread)
        : c === label
          ? f(keep + spread)
          : spread;
      const q = counted ? f(share * weightOf(weights, c)) : 0;
      const p = logProbs ? 0 : f(f(Math.exp(f(f((x[i] as number) - max) - logSum))) * own);
      dx[i] = p - f(q * scale);
    }
  }
}
