/**
 * Layer norm: sums in double precision with the order of src/graph/ops/norm, of several rows side by side, because a
 * sum waits for its last addition.
 */
import { FLOAT, FLOATS, high, loadSome, low, normed, rounded, storeSome, VECTOR } from './lanes';

/** y, mean and 1 / standard deviation of each row; `weight` and `bias` are 0 where there are none. */
export function layerNorm(
  x: usize, weight: usize, bias: usize, y: usize, mean: usize, rstd: usize, rows: i32, columns: i32, eps: f64,
): void {
  const step = <usize>columns * FLOAT;
  const n = f64x2.splat(<f64>columns);
  const e = f64x2.splat(eps);
  const one = f64x2.splat(1);
  let r = 0;
  for (; r + 4 <= rows; r += 4) {
    const zero = f64x2.splat(0);
    rowSums(x, step, columns, zero, zero, false);
    const center = f64x2.div(firstSum, n);
    const center2 = f64x2.div(secondSum, n);
    rowSums(x, step, columns, center, center2, true);
    const scale = f64x2.div(one, f64x2.sqrt(f64x2.add(f64x2.div(firstSum, n), e)));
    const scale2 = f64x2.div(one, f64x2.sqrt(f64x2.add(f64x2.div(secondSum, n), e)));
    v128.store(mean, rounded(center, center2));
    v128.store(rstd, rounded(scale, scale2));
    normRow(x, weight, bias, y, columns, f64x2.extract_lane(center, 0), f64x2.extract_lane(scale, 0));
    normRow(x + step, weight, bias, y + step, columns, f64x2.extract_lane(center, 1), f64x2.extract_lane(scale, 1));
    x += 2 * step;
    y += 2 * step;
    normRow(x, weight, bias, y, columns, f64x2.extract_lane(center2, 0), f64x2.extract_lane(scale2, 0));
    normRow(x + step, weight, bias, y + step, columns, f64x2.extract_lane(center2, 1), f64x2.extract_lane(scale2, 1));
    x += 2 * step;
    y += 2 * step;
    mean += VECTOR;
    rstd += VECTOR;
  }
  for (; r < rows; r++) {
    let sum: f64 = 0;
    for (let k = 0; k < columns; k++) sum += <f64>load<f32>(x + <usize>k * FLOAT);
    const center = sum / <f64>columns;
    let squares: f64 = 0;
    for (let k = 0; k < columns; k++) {
      const d = <f64>load<f32>(x + <usize>k * FLOAT) - center;
      squares += d * d;
    }
    const scale = 1.0 / sqrt<f64>(squares / <f64>columns + eps);
    store<f32>(mean, <f32>center);
    store<f32>(rstd, <f32>scale);
    normRow(x, weight, bias, y, columns, center, scale);
    x += step;
    y += step;
    mean += FLOAT;
    rstd += FLOAT;
  }
}

/** What rowSums leaves behind: sums of rows 0 and 1, and of rows 2 and 3. */
let firstSum: v128 = f64x2.splat(0);
let secondSum: v128 = f64x2.splat(0);

/** Of four rows, side by side: the sum of x, or with `squared` of (x - center)^2. Each sum has the order of a loop. */
function rowSums(x: usize, step: usize, columns: i32, center: v128, center2: v128, squared: bool): void {
  let first = f64x2.splat(0);
  let second = first;
  let k = 0;
  for (; k + FLOATS <= columns; k += FLOATS) {
    const a = v128.load(x);
    const b = v128.load(x + step);
    const c = v128.load(x + 2 * step);
    const d = v128.load(x + 3 * step);
    let pair = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
    let pair2 = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
    first = f64x2.add(first, term(low(pair), center, squared));
    second = f64x2.add(second, term(low(pair2), center2, squared));
    first = f64x2.add(first, term(high(pair), center, squared));
    second = f64x2.add(second, term(high(pair2), center2, squared));
    pair = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
    pair2 = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
    first = f64x2.add(first, term(low(pair), center, squared));
    second = f64x2.add(second, term(low(pair2), center2, squared));
    first = f64x2.add(first, term(high(pair), center, squared));
    second = f64x2.add(second, term(high(pair2), center2, squared));
    x += VECTOR;
  }
  for (; k < columns; k++) {
    first = f64x2.add(first, term(bothRows(x, step), center, squared));
    second = f64x2.add(second, term(bothRows(x + 2 * step, step), center2, squared));
    x += FLOAT;
  }
  firstSum = first;
  secondSum = second;
}

// @ts-ignore: decorator
@inline
function term(x: v128, center: v128, squared: bool): v128 {
  if (!squared) return x;
  const d = f64x2.sub(x, center);
  return f64x2.mul(d, d);
}

/** The float at an address, and that of the next row, as doubles. */
// @ts-ignore: decorator
@inline
function bothRows(x: usize, step: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(<f64>load<f32>(x)), 1, <f64>load<f32>(x + step));
}

/** y = (x - center) scale weight + bias of a row. */
function normRow(x: usize, weight: usize, bias: usize, y: usize, columns: i32, center: f64, scale: f64): void {
  const c = f64x2.splat(center);
  const s = f64x2.splat(scale);
  let k = 0;
  if (weight != 0) {
    for (; k + FLOATS <= columns; k += FLOATS) {
      const v = v128.load(x + <usize>k * FLOAT);
      const w = v128.load(weight + <usize>k * FLOAT);
      const b = v128.load(bias + <usize>k * FLOAT);
      const first = f64x2.add(f64x2.mul(normed(low(v), c, s), low(w)), low(b));
      const second = f64x2.add(f64x2.mul(normed(high(v), c, s), high(w)), high(b));
      v128.store(y + <usize>k * FLOAT, rounded(first, second));
    }
  }
  for (; k < columns; k++) {
    const v = (<f64>load<f32>(x + <usize>k * FLOAT) - center) * scale;
    const at = <usize>k * FLOAT;
    store<f32>(y + at, <f32>(weight != 0 ? v * <f64>load<f32>(weight + at) + <f64>load<f32>(bias + at) : v));
  }
}

/** Sums of dy (x - mean) rstd and of dy into part (row % parts), [2, parts, columns], which begins at 0. */
export function layerNormGradParams(
  dy: usize, x: usize, mean: usize, rstd: usize, partial: usize, rows: i32, columns: i32, parts: i32,
): void {
  const second = <usize>(parts * columns) * FLOAT;
  for (let r = 0; r < rows; r++) {
    const center = <f64>load<f32>(mean + <usize>r * FLOAT);
    const scale = <f64>load<f32>(rstd + <usize>r * FLOAT);
    const c = f64x2.splat(center);
    const s = f64x2.splat(scale);
    let to = partial + <usize>((r % parts) * columns) * FLOAT;
    let k = 0;
    for (; k + FLOATS <= columns; k += FLOATS) {
      const g = v128.load(dy);
      const v = v128.load(x);
      const sum = v128.load(to);
      const a = f64x2.add(low(sum), f64x2.mul(low(g), normed(low(v), c, s)));
      const b = f64x2.add(high(sum), f64x2.mul(high(g), normed(high(v), c, s)));
      v128.store(to, rounded(a, b));
      v128.store(to + second, f32x4.add(v128.load(to + second), g));
      dy += VECTOR;
      x += VECTOR;
      to += VECTOR;
    }
    for (; k < columns; k++) {
      const g = load<f32>(dy);
      store<f32>(to, <f32>(<f64>load<f32>(to) + <f64>g * ((<f64>load<f32>(x) - center) * scale)));
      store<f32>(to + second, load<f32>(to + second) + g);
      dy += FLOAT;
      x += FLOAT;
      to += FLOAT;
    }
  }
}

/** `weight` is 0 where there is none. */
export function layerNormGradInput(
  dy: usize, x: usize, mean: usize, rstd: usize, weight: usize, dx: usize, rows: i32, columns: i32,
): void {
  const step = <usize>columns * FLOAT;
  const n = f64x2.splat(<f64>columns);
  let r = 0;
  for (; r + 2 <= rows; r += 2) {
    const center = bothRows(mean, FLOAT);
    const scale = bothRows(rstd, FLOAT);
    gradSumsOfRows(dy, x, step, columns, center, weight);
    const meanG = f64x2.div(firstSum, n);
    const slope = f64x2.mul(f64x2.mul(f64x2.div(secondSum, n), scale), scale);
    gradRow(dy, x, weight, dx, columns, center, scale, meanG, slope, 0);
    gradRow(dy + step, x + step, weight, dx + step, columns, center, scale, meanG, slope, 1);
    dy += 2 * step;
    x += 2 * step;
    dx += 2 * step;
    mean += 2 * FLOAT;
    rstd += 2 * FLOAT;
  }
  if (r < rows) {
    // Both lanes are this row.
    const center = bothRows(mean, 0);
    const scale = bothRows(rstd, 0);
    gradSumsOfRows(dy, x, 0, columns, center, weight);
    const meanG = f64x2.div(firstSum, n);
    const slope = f64x2.mul(f64x2.mul(f64x2.div(secondSum, n), scale), scale);
    gradRow(dy, x, weight, dx, columns, center, scale, meanG, slope, 0);
  }
}

/** Of two rows, side by side: the sums of g = dy weight, and of g (x - center). */
function gradSumsOfRows(dy: usize, x: usize, step: usize, columns: i32, center: v128, weight: usize): void {
  let first = f64x2.splat(0);
  let second = first;
  let k = 0;
  let w = f64x2.splat(1);
  for (; k + FLOATS <= columns; k += FLOATS) {
    const a = v128.load(dy);
    const b = v128.load(dy + step);
    const c = v128.load(x);
    const d = v128.load(x + step);
    const g = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
    const g2 = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
    const v = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
    const v2 = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
    if (weight != 0) w = splatOf(weight);
    let own = f64x2.mul(low(g), w);
    first = f64x2.add(first, own);
    second = f64x2.add(second, f64x2.mul(own, f64x2.sub(low(v), center)));
    if (weight != 0) w = splatOf(weight + FLOAT);
    own = f64x2.mul(high(g), w);
    first = f64x2.add(first, own);
    second = f64x2.add(second, f64x2.mul(own, f64x2.sub(high(v), center)));
    if (weight != 0) w = splatOf(weight + 2 * FLOAT);
    own = f64x2.mul(low(g2), w);
    first = f64x2.add(first, own);
    second = f64x2.add(second, f64x2.mul(own, f64x2.sub(low(v2), center)));
    if (weight != 0) {
      w = splatOf(weight + 3 * FLOAT);
      weight += VECTOR;
    }
    own = f64x2.mul(high(g2), w);
    first = f64x2.add(first, own);
    second = f64x2.add(second, f64x2.mul(own, f64x2.sub(high(v2), center)));
    dy += VECTOR;
    x += VECTOR;
  }
  for (; k < columns; k++) {
    if (weight != 0) {
      w = splatOf(weight);
      weight += FLOAT;
    }
    const own = f64x2.mul(bothRows(dy, step), w);
    first = f64x2.add(first, own);
    second = f64x2.add(second, f64x2.mul(own, f64x2.sub(bothRows(x, step), center)));
    dy += FLOAT;
    x += FLOAT;
  }
  firstSum = first;
  secondSum = second;
}

// @ts-ignore: decorator
@inline
function splatOf(x: usize): v128 {
  return low(v128.load_splat<f32>(x));
}

/** dx = (g - mean g - (x - center) slope) scale of a row, with what lane `row` of the numbers has. */
// @ts-ignore: decorator
@inline
function gradRow(
  dy: usize, x: usize, weight: usize, dx: usize, columns: i32,
  center: v128, scale: v128, meanG: v128, slope: v128, row: u8,
): void {
  const c = row == 0 ? v128.shuffle<i64>(center, center, 0, 0) : v128.shuffle<i64>(center, center, 1, 1);
  const s = row == 0 ? v128.shuffle<i64>(scale, scale, 0, 0) : v128.shuffle<i64>(scale, scale, 1, 1);
  const m = row == 0 ? v128.shuffle<i64>(meanG, meanG, 0, 0) : v128.shuffle<i64>(meanG, meanG, 1, 1);
  const l = row == 0 ? v128.shuffle<i64>(slope, slope, 0, 0) : v128.shuffle<i64>(slope, slope, 1, 1);
  const one = f32x4.splat(1);
  let k = 0;
  for (; k < columns; k += FLOATS) {
    const left = columns - k;
    const whole = left >= FLOATS;
    const at = <usize>k * FLOAT;
    const g = whole ? v128.load(dy + at) : loadSome(dy + at, left);
    const v = whole ? v128.load(x + at) : loadSome(x + at, left);
    const w = weight == 0 ? one : whole ? v128.load(weight + at) : loadSome(weight + at, left);
    const a = gradOf(low(g), low(w), low(v), m, c, l, s);
    const b = gradOf(high(g), high(w), high(v), m, c, l, s);
    if (whole) v128.store(dx + at, rounded(a, b));
    else storeSome(dx + at, rounded(a, b), left);
  }
}

// @ts-ignore: decorator
@inline
function gradOf(g: v128, w: v128, x: v128, meanG: v128, center: v128, slope: v128, scale: v128): v128 {
  const centered = f64x2.mul(f64x2.sub(x, center), slope);
  return f64x2.mul(f64x2.sub(f64x2.sub(f64x2.mul(g, w), meanG), centered), scale);
}
