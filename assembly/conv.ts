/**
 * Convolution and the gradient of its weights, with sums in double precision in the order of src/graph/ops/conv. The
 * image is copied as doubles with its padding around it, so that no column is an exception: what the plain loops leave
 * out is added here as zero times a weight, which changes nothing unless the weight is infinite or NaN (the callers
 * look).
 */
import { DOUBLE, FLOAT, FLOATS, loadSome, plusDoubles, rounded, storeSome } from './lanes';

/** Channels of output, and columns, that are computed side by side. */
const CHANNELS: i32 = 4;
const COLUMNS: i32 = 4;

/**
 * An image and the windows on it, as src/graph/vectors/conv writes them. Behind them lies a table: for each tap how
 * many bytes its pixel lies behind the first one of its window, filled up with zeros to a multiple of 4.
 */
@unmanaged
class Windows {
  channels: i32;
  height: i32;
  width: i32;
  /** With padding, of which so much is above and on the left. */
  tall: i32;
  wide: i32;
  top: i32;
  left: i32;
  /** Bytes from one window to the next. */
  down: i32;
  right: i32;
  outChannels: i32;
  outHeight: i32;
  outWidth: i32;
  taps: i32;
}

// @ts-ignore: decorator
@inline
function tapsOf(w: Windows): usize {
  return changetype<usize>(w) + offsetof<Windows>();
}

/**
 * y of some images, `xStep` and `yStep` bytes apart. `weights`, `bias`: as correlate has them. The padded image takes
 * the scratch memory from `own` bytes on.
 */
export function correlateImages(
  w: Windows, weights: usize, bias: usize,
  x: usize, xStep: i32, y: usize, yStep: i32, images: i32, own: i32, scratch: usize,
): void {
  const image = scratch + <usize>own;
  for (let n = 0; n < images; n++) {
    pad(x, w.channels, w.height, w.width, image, w.tall, w.wide, w.top, w.left);
    correlate(image, w.down, tapsOf(w), w.taps, weights, bias, y, w.outChannels, w.outHeight, w.outWidth);
    x += <usize>xStep;
    y += <usize>yStep;
  }
}

/**
 * Gradients of the weights, of the parts `part` to `end`: each is a run of `rowsOfPart` of all rows of dy, which may
 * begin and end within an image. A part lies `step` bytes behind the one before; its biases lie `biases` bytes behind
 * its weights (0: there are none).
 */
export function weightGradParts(
  w: Windows, x: usize, xStep: i32, dy: usize, dyStep: i32, rows: i32, rowsOfPart: i32,
  part: i32, end: i32, partial: usize, step: i32, biases: i32, own: i32, scratch: usize,
): void {
  const filled = (w.taps + 3) & ~3;
  const wide = (w.outChannels + CHANNELS - 1) & ~(CHANNELS - 1);
  const sums = scratch + <usize>own;
  const biasSums = sums + <usize>(filled * wide) * DOUBLE;
  const turned = biasSums + <usize>wide * DOUBLE;
  const image = turned + <usize>(min(rowsOfPart, w.outHeight) * w.outWidth * wide) * DOUBLE;
  let padded = -1;
  for (; part < end; part++) {
    memory.fill(sums, 0, turned - sums);
    const last = min(rows, (part + 1) * rowsOfPart);
    for (let row = part * rowsOfPart; row < last; ) {
      const n = row / w.outHeight;
      const first = row - n * w.outHeight;
      const count = min(last - row, w.outHeight - first);
      if (n != padded) {
        pad(x + <usize>(n * xStep), w.channels, w.height, w.width, image, w.tall, w.wide, w.top, w.left);
        padded = n;
      }
      const from = dy + <usize>(n * dyStep) + <usize>(first * w.outWidth) * FLOAT;
      const pixels = count * w.outWidth;
      turnRows(from, w.outChannels, w.outHeight * w.outWidth, pixels, turned, wide);
      const top = image + <usize>(first * w.down);
      addWeightGrad(top, w.down, w.right, tapsOf(w), filled, turned, wide, count, w.outWidth, sums);
      if (biases != 0) addBiasGrad(turned, pixels, wide, biasSums);
      row += count;
    }
    const to = partial + <usize>(part * step);
    roundSums(sums, to, w.taps, wide, w.outChannels);
    if (biases != 0) roundSums(biasSums, to + <usize>biases, 1, wide, w.outChannels);
  }
}

/** `channels` planes of height x width floats as doubles, each with zeros around it: tall x wide, from (top, left). */
function pad(
  x: usize, channels: i32, height: i32, width: i32, to: usize, tall: i32, wide: i32, top: i32, left: i32,
): void {
  memory.fill(to, 0, <usize>(channels * tall * wide) * DOUBLE);
  for (let c = 0; c < channels; c++)
    for (let i = 0; i < height; i++) {
      let target = to + <usize>((c * tall + top + i) * wide + left) * DOUBLE;
      for (let j = 0; j < width; j++) {
        store<f64>(target, <f64>load<f32>(x));
        target += DOUBLE;
        x += FLOAT;
      }
    }
}

/**
 * Rows of `out` output channels of one padded image: y[o][i][j] = sum over taps of weights[o / 4][tap][o % 4] times the
 * pixel of the tap (+ bias[o]), taps in order. `taps`: for each, how many bytes its pixel lies behind the first one of
 * its window. Weights are doubles. `bias` is 0 where there is none. Stride 1 along a row, `down` bytes from one row of
 * windows to the next.
 */
function correlate(
  image: usize, down: i32, taps: usize, count: i32, weights: usize, bias: usize,
  y: usize, out: i32, height: i32, width: i32,
): void {
  const plane = <usize>(height * width) * FLOAT;
  for (let o = 0; o < out; o += CHANNELS) {
    const own = weights + <usize>(o * count) * DOUBLE;
    for (let i = 0; i < height; i++) {
      for (let j = 0; j < width; j += COLUMNS) {
        const first = image + <usize>(i * down) + <usize>j * DOUBLE;
        let a0 = f64x2.splat(0), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;
        let w = own;
        for (let t = 0; t < count; t++) {
          const at = first + <usize>load<i32>(taps + <usize>t * 4);
          const u = v128.load(at);
          const v = v128.load(at, 16);
          let k = v128.load_splat<f64>(w);
          a0 = plusDoubles(a0, u, k);
          a1 = plusDoubles(a1, v, k);
          k = v128.load_splat<f64>(w, 8);
          b0 = plusDoubles(b0, u, k);
          b1 = plusDoubles(b1, v, k);
          k = v128.load_splat<f64>(w, 16);
          c0 = plusDoubles(c0, u, k);
          c1 = plusDoubles(c1, v, k);
          k = v128.load_splat<f64>(w, 24);
          d0 = plusDoubles(d0, u, k);
          d1 = plusDoubles(d1, v, k);
          w += 4 * DOUBLE;
        }
        const columns = min(COLUMNS, width - j);
        const to = y + <usize>o * plane + <usize>(i * width + j) * FLOAT;
        put(to, rounded(a0, a1), bias, o, columns);
        if (o + 1 < out) put(to + plane, rounded(b0, b1), bias, o + 1, columns);
        if (o + 2 < out) put(to + 2 * plane, rounded(c0, c1), bias, o + 2, columns);
        if (o + 3 < out) put(to + 3 * plane, rounded(d0, d1), bias, o + 3, columns);
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function put(to: usize, sums: v128, bias: usize, channel: i32, columns: i32): void {
  const x = bias != 0 ? f32x4.add(sums, v128.load_splat<f32>(bias + <usize>channel * FLOAT)) : sums;
  if (columns == COLUMNS) v128.store(to, x);
  else storeSome(to, x, columns);
}

/** Rows of dy of all channels, turned: pixel after pixel its `channels` doubles, filled up with zeros to `wide`. */
function turnRows(dy: usize, channels: i32, plane: i32, count: i32, to: usize, wide: i32): void {
  memory.fill(to, 0, <usize>(count * wide) * DOUBLE);
  for (let o = 0; o < channels; o++) {
    let from = dy + <usize>(o * plane) * FLOAT;
    let target = to + <usize>o * DOUBLE;
    for (let p = 0; p < count; p++) {
      store<f64>(target, <f64>load<f32>(from));
      from += FLOAT;
      target += <usize>wide * DOUBLE;
    }
  }
}

/**
 * sums[tap][o] += pixel of the tap times dy, over a run of rows of one image; all are doubles. `dy`: as turnRows leaves
 * it, `wide` channels a pixel. `taps` as in correlate, four at a time (their number is a multiple of 4). `right`: bytes
 * from one window of a row to the next.
 */
function addWeightGrad(
  image: usize, down: i32, right: i32, taps: usize, count: i32, dy: usize, wide: i32,
  rows: i32, width: i32, sums: usize,
): void {
  const step = <usize>wide * DOUBLE;
  for (let t = 0; t < count; t += 4) {
    const t0 = <usize>load<i32>(taps + <usize>t * 4);
    const t1 = <usize>load<i32>(taps + <usize>t * 4, 4);
    const t2 = <usize>load<i32>(taps + <usize>t * 4, 8);
    const t3 = <usize>load<i32>(taps + <usize>t * 4, 12);
    for (let o = 0; o < wide; o += CHANNELS) {
      const own = sums + <usize>(t * wide + o) * DOUBLE;
      let a0 = v128.load(own), a1 = v128.load(own, 16);
      let b0 = v128.load(own + step), b1 = v128.load(own + step, 16);
      let c0 = v128.load(own + 2 * step), c1 = v128.load(own + 2 * step, 16);
      let d0 = v128.load(own + 3 * step), d1 = v128.load(own + 3 * step, 16);
      let g = dy + <usize>o * DOUBLE;
      for (let i = 0; i < rows; i++) {
        let at = image + <usize>(i * down);
        for (let j = 0; j < width; j++) {
          const u = v128.load(g);
          const v = v128.load(g, 16);
          let x = v128.load_splat<f64>(at + t0);
          a0 = plusDoubles(a0, x, u);
          a1 = plusDoubles(a1, x, v);
          x = v128.load_splat<f64>(at + t1);
          b0 = plusDoubles(b0, x, u);
          b1 = plusDoubles(b1, x, v);
          x = v128.load_splat<f64>(at + t2);
          c0 = plusDoubles(c0, x, u);
          c1 = plusDoubles(c1, x, v);
          x = v128.load_splat<f64>(at + t3);
          d0 = plusDoubles(d0, x, u);
          d1 = plusDoubles(d1, x, v);
          at += <usize>right;
          g += step;
        }
      }
      v128.store(own, a0);
      v128.store(own, a1, 16);
      v128.store(own + step, b0);
      v128.store(own + step, b1, 16);
      v128.store(own + 2 * step, c0);
      v128.store(own + 2 * step, c1, 16);
      v128.store(own + 3 * step, d0);
      v128.store(own + 3 * step, d1, 16);
    }
  }
}

/** sums[o] += dy[pixel][o] over `count` pixels, as turnRows leaves them. */
function addBiasGrad(dy: usize, count: i32, wide: i32, sums: usize): void {
  for (let o = 0; o < wide; o += 2) {
    let sum = v128.load(sums + <usize>o * DOUBLE);
    let at = dy + <usize>o * DOUBLE;
    for (let p = 0; p < count; p++) {
      sum = f64x2.add(sum, v128.load(at));
      at += <usize>wide * DOUBLE;
    }
    v128.store(sums + <usize>o * DOUBLE, sum);
  }
}

/** to[o][tap] = sums[tap][o], rounded, for `channels` of the `wide` that a tap has. */
function roundSums(sums: usize, to: usize, taps: i32, wide: i32, channels: i32): void {
  for (let o = 0; o < channels; o++)
    for (let tap = 0; tap < taps; tap++) {
      store<f32>(to, <f32>load<f64>(sums + <usize>(tap * wide + o) * DOUBLE));
      to += FLOAT;
    }
}

/** y[i] = sum over parts of x[part][i], in double; parts lie `length` floats apart. */
export function addParts(x: usize, y: usize, count: i32, parts: i32, length: i32): void {
  const step = <usize>length * FLOAT;
  for (let i = 0; i < count; i += FLOATS) {
    const width = min(FLOATS, count - i);
    let a = f64x2.splat(0), b = a;
    let at = x + <usize>i * FLOAT;
    for (let part = 0; part < parts; part++) {
      const v = width == FLOATS ? v128.load(at) : loadSome(at, width);
      a = f64x2.add(a, f64x2.promote_low_f32x4(v));
      b = f64x2.add(b, f64x2.promote_low_f32x4(v128.shuffle<i64>(v, v, 1, 1)));
      at += step;
    }
    storeSome(y + <usize>i * FLOAT, rounded(a, b), width);
  }
}

/** Maxima of 2 x 2 windows that touch, and which of the plane's elements they are; `relu`: of max(x, 0). */
export function maxPool2x2(
  x: usize, y: usize, index: usize, planes: i32, height: i32, width: i32, outHeight: i32, outWidth: i32, relu: bool,
): void {
  for (let plane = 0; plane < planes; plane++) {
    for (let i = 0; i < outHeight; i++) {
      let at = x + <usize>(2 * i * width) * FLOAT;
      let where = 2 * i * width;
      for (let j = 0; j < outWidth; j++) {
        let best: f32 = -Infinity;
        let own = where;
        let v = load<f32>(at);
        if (v > best || v != v) best = v;
        v = load<f32>(at, 4);
        if (v > best || v != v) {
          best = v;
          own = where + 1;
        }
        const below = at + <usize>width * FLOAT;
        v = load<f32>(below);
        if (v > best || v != v) {
          best = v;
          own = where + width;
        }
        v = load<f32>(below, 4);
        if (v > best || v != v) {
          best = v;
          own = where + width + 1;
        }
        store<f32>(y, relu && best <= 0 ? 0 : best);
        store<i32>(index, own);
        y += FLOAT;
        index += 4;
        at += 2 * FLOAT;
        where += 2;
      }
    }
    x += <usize>(height * width) * FLOAT;
  }
}

/** dx: 0, then dx[index] += dy of each window (where `y`, if there is one, is over 0), plane by plane. */
export function maxPoolGrad(
  dy: usize, index: usize, y: usize, dx: usize, planes: i32, plane: i32, windows: i32,
): void {
  memory.fill(dx, 0, <usize>(planes * plane) * FLOAT);
  for (let p = 0; p < planes; p++) {
    for (let i = 0; i < windows; i++) {
      if (y == 0 || !(load<f32>(y) <= 0)) {
        const to = dx + <usize>load<i32>(index) * FLOAT;
        store<f32>(to, load<f32>(to) + load<f32>(dy));
      }
      dy += FLOAT;
      index += 4;
      if (y != 0) y += FLOAT;
    }
    dx += <usize>plane * FLOAT;
  }
}
