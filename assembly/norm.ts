/**
 * Batch norm: sums in double precision with the order of src/graph/ops/norm, several of them side by side because a sum
 * waits for its last addition.
 */
import { DOUBLE, FLOAT, FLOATS, high, low, normed, rounded, VECTOR } from './lanes';

// @ts-ignore: decorator
@inline
function ofChannel(numbers: usize, channel: i32, otherwise: f64): f64 {
  return numbers != 0 ? <f64>load<f32>(numbers + <usize>channel * FLOAT) : otherwise;
}

/**
 * Batch norm of some planes, the first of which is of channel `first`. Of each channel: `mean`, `invstd`, `weight` and
 * `bias` (0 where there are none).
 */
export function batchNorm(
  x: usize, y: usize, planes: i32, plane: i32, first: i32, channels: i32,
  mean: usize, invstd: usize, weight: usize, bias: usize, relu: bool,
): void {
  const step = <usize>plane * FLOAT;
  for (let p = 0; p < planes; p++) {
    const c = (first + p) % channels;
    const scale = ofChannel(invstd, c, 0) * ofChannel(weight, c, 1);
    scaleShift(x, y, plane, ofChannel(mean, c, 0), scale, ofChannel(bias, c, 0), relu);
    x += step;
    y += step;
  }
}

/** dx of some planes, as batchNorm has them. `count`: elements of a channel, of all ranks. */
export function batchNormGradInput(
  dy: usize, x: usize, dx: usize, planes: i32, plane: i32, first: i32, channels: i32,
  mean: usize, invstd: usize, sumDy: usize, sumDyXmu: usize, weight: usize, count: f64,
): void {
  const step = <usize>plane * FLOAT;
  for (let p = 0; p < planes; p++) {
    const c = (first + p) % channels;
    const inv = ofChannel(invstd, c, 0);
    const slope = (ofChannel(sumDyXmu, c, 0) / count) * inv * inv;
    const meanDy = ofChannel(sumDy, c, 0) / count;
    normGradInput(dy, x, dx, plane, ofChannel(mean, c, 0), meanDy, slope, inv * ofChannel(weight, c, 1));
    dy += step;
    x += step;
    dx += step;
  }
}

/** y = (x - center) scale + shift of n floats, in double; `relu`: 0 where that is not over 0. */
function scaleShift(x: usize, y: usize, n: i32, center: f64, scale: f64, shift: f64, relu: bool): void {
  const c = f64x2.splat(center);
  const s = f64x2.splat(scale);
  const b = f64x2.splat(shift);
  const zero = f32x4.splat(0);
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    const v = v128.load(x);
    const sum = rounded(f64x2.add(normed(low(v), c, s), b), f64x2.add(normed(high(v), c, s), b));
    v128.store(y, relu ? v128.andnot(sum, f32x4.le(sum, zero)) : sum);
    x += VECTOR;
    y += VECTOR;
  }
  for (; i < n; i++) {
    const v = <f32>((<f64>load<f32>(x) - center) * scale + shift);
    store<f32>(y, relu && v <= 0 ? 0 : v);
    x += FLOAT;
    y += FLOAT;
  }
}

/** dx = (dy - meanDy - (x - center) slope) scale of n floats, in double. */
function normGradInput(
  dy: usize, x: usize, dx: usize, n: i32, center: f64, meanDy: f64, slope: f64, scale: f64,
): void {
  const c = f64x2.splat(center);
  const m = f64x2.splat(meanDy);
  const l = f64x2.splat(slope);
  const s = f64x2.splat(scale);
  let i = 0;
  for (; i + FLOATS <= n; i += FLOATS) {
    const g = v128.load(dy);
    const v = v128.load(x);
    const a = f64x2.mul(f64x2.sub(f64x2.sub(low(g), m), f64x2.mul(f64x2.sub(low(v), c), l)), s);
    const b = f64x2.mul(f64x2.sub(f64x2.sub(high(g), m), f64x2.mul(f64x2.sub(high(v), c), l)), s);
    v128.store(dx, rounded(a, b));
    dy += VECTOR;
    x += VECTOR;
    dx += VECTOR;
  }
  for (; i < n; i++) {
    const v = (<f64>load<f32>(dy) - meanDy - (<f64>load<f32>(x) - center) * slope) * scale;
    store<f32>(dx, <f32>v);
    dy += FLOAT;
    x += FLOAT;
    dx += FLOAT;
  }
}

/**
 * Of one channel of [batch, channels, plane]: mean and sum of squared deviations of each part (slice, lane), whose
 * lanes take `width` (1 or 4) neighbours at a time. Writes them to `means` and `squares`, one after the other. `sums`:
 * a double for each lane.
 */
export function moments(
  x: usize, batch: i32, channels: i32, plane: i32, slices: i32, lanes: i32, width: i32,
  means: usize, squares: usize, sums: usize,
): void {
  const stride = <usize>(channels * plane) * FLOAT;
  const span = lanes * width;
  for (let slice = 0; slice < slices; slice++) {
    memory.fill(sums, 0, <usize>(2 * lanes) * DOUBLE);
    for (let n = slice; n < batch; n += slices) addLanes(x + <usize>n * stride, plane, span, width, sums);
    const rows = (batch - slice + slices - 1) / slices;
    for (let lane = 0; lane < lanes; lane++) {
      const count = rows * width * ((plane / width - lane + lanes - 1) / lanes);
      const mean = load<f64>(sums + <usize>lane * DOUBLE) / <f64>count;
      store<f64>(sums + <usize>(lanes + lane) * DOUBLE, mean);
      store<f64>(sums + <usize>lane * DOUBLE, 0);
      store<f32>(means, <f32>mean);
      means += FLOAT;
    }
    for (let n = slice; n < batch; n += slices) addSquares(x + <usize>n * stride, plane, span, width, lanes, sums);
    for (let lane = 0; lane < lanes; lane++) {
      store<f32>(squares, <f32>load<f64>(sums + <usize>lane * DOUBLE));
      squares += FLOAT;
    }
  }
}

/** sums[lane] += every element of the lane. */
function addLanes(x: usize, plane: i32, span: i32, width: i32, sums: usize): void {
  let lane = 0;
  for (let from = 0; from < span; from += width) {
    let sum = load<f64>(sums + <usize>lane * DOUBLE);
    for (let p = from; p < plane; p += span)
      for (let e = p; e < p + width; e++) sum += <f64>load<f32>(x + <usize>e * FLOAT);
    store<f64>(sums + <usize>lane * DOUBLE, sum);
    lane++;
  }
}

/** sums[lane] += every squared deviation from the lane's mean, which lies behind all the sums. */
function addSquares(x: usize, plane: i32, span: i32, width: i32, lanes: i32, sums: usize): void {
  for (let lane = 0; lane < lanes; lane++) {
    const mean = load<f64>(sums + <usize>(lanes + lane) * DOUBLE);
    let sum = load<f64>(sums + <usize>lane * DOUBLE);
    for (let p = lane * width; p < plane; p += span)
      for (let e = p; e < p + width; e++) {
        const d = <f64>load<f32>(x + <usize>e * FLOAT) - mean;
        sum += d * d;
      }
    store<f64>(sums + <usize>lane * DOUBLE, sum);
  }
}

/** Of one channel: the sums of dy and of dy (x - mean) of each part, as `moments` walks them. */
export function gradSums(
  dy: usize, x: usize, mean: usize, batch: i32, channels: i32, plane: i32, slices: i32, lanes: i32, width: i32,
  sumsDy: usize, sumsXmu: usize, sums: usize,
): void {
  const center = <f64>load<f32>(mean);
  const stride = <usize>(channels * plane) * FLOAT;
  const span = lanes * width;
  for (let slice = 0; slice < slices; slice++) {
    memory.fill(sums, 0, <usize>(2 * lanes) * DOUBLE);
    for (let n = slice; n < batch; n += slices) {
      const g = dy + <usize>n * stride;
      const v = x + <usize>n * stride;
      for (let lane = 0; lane < lanes; lane++) {
        let a = load<f64>(sums + <usize>lane * DOUBLE);
        let b = load<f64>(sums + <usize>(lanes + lane) * DOUBLE);
        for (let p = lane * width; p < plane; p += span)
          for (let e = p; e < p + width; e++) {
            const own = <f64>load<f32>(g + <usize>e * FLOAT);
            a += own;
            b += own * (<f64>load<f32>(v + <usize>e * FLOAT) - center);
          }
        store<f64>(sums + <usize>lane * DOUBLE, a);
        store<f64>(sums + <usize>(lanes + lane) * DOUBLE, b);
      }
    }
    for (let lane = 0; lane < lanes; lane++) {
      store<f32>(sumsDy, <f32>load<f64>(sums + <usize>lane * DOUBLE));
      store<f32>(sumsXmu, <f32>load<f64>(sums + <usize>(lanes + lane) * DOUBLE));
      sumsDy += FLOAT;
      sumsXmu += FLOAT;
    }
  }
}
