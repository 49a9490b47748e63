/** Cross-entropy over rows of logits with one label each: the bits of src/graph/ops/loss/class-rows.ts. */
import { expOf } from './exponential';
import { FLOAT, FLOATS, loadSome, log, storeSome, VECTOR } from './lanes';

/** The largest of n floats, the first of those that are equal; NaN is not looked at. */
function largestOf(x: usize, n: i32): f32 {
  let most = f32x4.splat(-Infinity);
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) most = f32x4.pmax(most, v128.load(x + <usize>i * FLOAT));
  let largest = f32x4.extract_lane(most, 0);
  const b = f32x4.extract_lane(most, 1);
  const c = f32x4.extract_lane(most, 2);
  const d = f32x4.extract_lane(most, 3);
  if (b > largest) largest = b;
  if (c > largest) largest = c;
  if (d > largest) largest = d;
  for (; i < n; i++) {
    const v = load<f32>(x + <usize>i * FLOAT);
    if (v > largest) largest = v;
  }
  if (largest != 0) return largest;
  // Which of 0 and -0 comes first.
  for (i = 0; load<f32>(x + <usize>i * FLOAT) != 0; i++) {}
  return load<f32>(x + <usize>i * FLOAT);
}

/** The sum of e^(x - most) of n floats, in order, rounded after each step. */
function sumOfExponentials(x: usize, n: i32, most: f32): f32 {
  const shift = f32x4.splat(most);
  let sum: f32 = 0;
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    const w = expOf(f32x4.sub(v128.load(x + <usize>i * FLOAT), shift));
    sum += f32x4.extract_lane(w, 0);
    sum += f32x4.extract_lane(w, 1);
    sum += f32x4.extract_lane(w, 2);
    sum += f32x4.extract_lane(w, 3);
  }
  if (i < n) {
    const w = expOf(f32x4.sub(loadSome(x + <usize>i * FLOAT, n - i), shift));
    sum += f32x4.extract_lane(w, 0);
    if (i + 1 < n) sum += f32x4.extract_lane(w, 1);
    if (i + 2 < n) sum += f32x4.extract_lane(w, 2);
  }
  return sum;
}

/**
 * Rows `from` to `to`: the losses, and `stats`, three planes of `rows` numbers. `counts` gets 1, or 0 where the label
 * is `ignored`; 0: there is no such plane. The caller has checked that every other label is a class.
 */
export function crossEntropy(
  x: usize, target: usize, stats: usize, losses: usize, counts: usize,
  from: i32, to: i32, rows: i32, classes: i32, ignored: i32,
): void {
  const plane = <usize>rows * FLOAT;
  for (let r = from; r < to; r++) {
    const row = x + <usize>(r * classes) * FLOAT;
    const at = <usize>r * FLOAT;
    let most = largestOf(row, classes);
    const sum = sumOfExponentials(row, classes, most);
    if (sum != sum) most = sum;
    const logSum = <f32>log(<f64>sum);
    const label = load<i32>(target + at);
    let loss: f32 = 0;
    let counted: f32 = 0;
    if (label != ignored) {
      counted = 1;
      loss = -(load<f32>(row + <usize>label * FLOAT) - most - logSum);
    }
    store<f32>(stats + at, most);
    store<f32>(stats + plane + at, logSum);
    store<f32>(stats + 2 * plane + at, counted);
    store<f32>(losses + at, loss);
    if (counts != 0) store<f32>(counts + at, counted);
  }
}

/**
 * dx of rows `from` to `to`. `each`: bytes from the upstream gradient of one row to that of the next, 0 for one that
 * all rows have. `divisor`: the address of what it is divided by, or 0.
 */
export function crossEntropyGrad(
  x: usize, target: usize, stats: usize, upstream: usize, each: i32, divisor: usize, dx: usize,
  from: i32, to: i32, rows: i32, classes: i32, ignored: i32,
): void {
  const plane = <usize>rows * FLOAT;
  const by: f32 = divisor != 0 ? load<f32>(divisor) : 1;
  for (let r = from; r < to; r++) {
    const at = <usize>r * FLOAT;
    const scale = load<f32>(upstream + <usize>(r * each)) / by;
    const most = f32x4.splat(load<f32>(stats + at));
    const logSum = f32x4.splat(load<f32>(stats + plane + at));
    const own = f32x4.splat(load<f32>(stats + 2 * plane + at) * scale);
    // 0 times what is not finite is NaN.
    const none = f32x4.splat(0 * scale);
    let p = x + <usize>(r * classes) * FLOAT;
    let to = dx + <usize>(r * classes) * FLOAT;
    const row = to;
    let i = 0;
    for (; i + FLOATS <= classes; i += FLOATS) {
      const w = expOf(f32x4.sub(f32x4.sub(v128.load(p), most), logSum));
      v128.store(to, f32x4.sub(f32x4.mul(w, own), none));
      p += VECTOR;
      to += VECTOR;
    }
    if (i < classes) {
      const w = expOf(f32x4.sub(f32x4.sub(loadSome(p, classes - i), most), logSum));
      storeSome(to, f32x4.sub(f32x4.mul(w, own), none), classes - i);
    }
    const label = load<i32>(target + at);
    if (label == ignored || <u32>label >= <u32>classes) continue;
    const place = row + <usize>label * FLOAT;
    store<f32>(place, load<f32>(place) - scale);
  }
}
