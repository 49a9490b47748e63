/**
 * The sliding product that conv2d and the gradient of its input at stride 1 both are: y[n, o, i, j] = sum over c, ky,
 * kx of w[o, c, ky, kx] x[n, c, i * stride + ky * dilation - pad, ...] (+ bias[o]). Strides address the weight, so that
 * the gradient can read it rotated by 180 degrees with swapped channels. CPU kernel and WGSL lowering; channels are
 * counted within one group.
 */
import type { HostArray } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { DenseLaunch, Operand } from '../../op';
import { type ConvGeometry, isPlain3x3 } from './geometry';

export interface Correlation extends ConvGeometry {
  /**
   * Where the weight of a group starts, and its steps in elements over output channel, input channel, row and column.
   */
  readonly weightGroup: number;
  readonly weightStart: number;
  readonly weightOut: number;
  readonly weightIn: number;
  readonly weightY: number;
  readonly weightX: number;
}

/** y = conv(x, w). */
export function forwardCorrelation(g: ConvGeometry): Correlation {
  const area = g.kernelHeight * g.kernelWidth;
  const weightOut = g.inChannels * area;
  const steps = { weightOut, weightIn: area, weightY: g.kernelWidth, weightX: 1 };
  return { ...g, weightGroup: g.outChannels * weightOut, weightStart: 0, ...steps };
}

/** dx = conv(dy, w rotated by 180 degrees); only for stride 1. */
export function turnedCorrelation(g: ConvGeometry): Correlation {
  const area = g.kernelHeight * g.kernelWidth;
  const weightIn = g.inChannels * area;
  return {
    ...g,
    inChannels: g.outChannels,
    outChannels: g.inChannels,
    height: g.outHeight,
    width: g.outWidth,
    outHeight: g.height,
    outWidth: g.width,
    padY: g.dilationY * (g.kernelHeight - 1) - g.padY,
    padX: g.dilationX * (g.kernelWidth - 1) - g.padX,
    weightGroup: g.outChannels * weightIn,
    weightStart: area - 1,
    weightOut: area,
    weightIn,
    weightY: -g.kernelWidth,
    weightX: -1,
  };
}

/** Output positions [from, to) whose source position * stride + shift lies in [0, size). */
const firstInside = (shift: number, stride: number) => (shift >= 0 ? 0 : Math.ceil(-shift / stride));
const endInside = (shift: number, stride: number, size: number, outSize: number) =>
  Math.max(0, Math.min(outSize, Math.ceil((size - shift) / stride)));

/**
 * Four output channels and two columns at a time, with double accumulators: eight sums share six loads, and rounding
 * happens once. Columns whose window crosses the edge are computed one at a time.
 */
export function correlate(c: Correlation, x: HostArray, w: HostArray, y: HostArray, bias?: HostArray): void {
  const insideFrom = Math.min(c.outWidth, firstInside(-c.padX, c.strideX));
  const lastShift = (c.kernelWidth - 1) * c.dilationX - c.padX;
  const insideTo = Math.max(insideFrom, endInside(lastShift, c.strideX, c.width, c.outWidth));
  const operands = { x, w, y, bias };
  for (let n = 0; n < c.batch; n++) {
    for (let g = 0; g < c.groups; g++) {
      for (let o = 0; o < c.outChannels; o += 4) {
        for (let i = 0; i < c.outHeight; i++) {
          const row = { n, g, o, i };
          for (let j = 0; j < insideFrom; j++) columns(c, operands, row, j, j + 1);
          columns(c, operands, row, insideFrom, insideTo);
          for (let j = insideTo; j < c.outWidth; j++) columns(c, operands, row, j, j + 1);
        }
      }
    }
  }
}

/** Rows of the kernel that fall inside the image for output row i. */
const firstRow = (c: Correlation, i: number) => firstInside(i * c.strideY - c.padY, c.dilationY);
const endRow = (c: Correlation, i: number) => endInside(i * c.strideY - c.padY, c.dilationY, c.height, c.kernelHeight);

interface Operands {
  readonly x: HostArray;
  readonly w: HostArray;
  readonly y: HostArray;
  readonly bias: HostArray | undefined;
}

/** Row i of sample n, group g, and the four output channels from o on. */
interface Row {
  readonly n: number;
  readonly g: number;
  readonly o: number;
  readonly i: number;
}

/**
 * Columns [from, to) of row i of four channels; for all of them the same columns of the kernel are inside the image.
 */
function columns(c: Correlation, { x, w, y, bias }: Operands, { n, g, o, i }: Row, from: number, to: number): void {
  const { inChannels, weightIn, weightX, weightY, dilationX, dilationY, strideX, width } = c;
  const plane = c.height * width;
  const last = c.outChannels - 1;
  // Beyond the last channel, the last channel is repeated; writing its sums again changes nothing.
  const o1 = Math.min(o + 1, last);
  const o2 = Math.min(o + 2, last);
  const o3 = Math.min(o + 3, last);
  const weight = c.weightStart + g * c.weightGroup + o * c.weightOut;
  const w1 = (o1 - o) * c.weightOut;
  const w2 = (o2 - o) * c.weightOut;
  const w3 = (o3 - o) * c.weightOut;
  const kyFrom = firstRow(c, i);
  const kyTo = endRow(c, i);
  const outPlane = c.outHeight * c.outWidth;
  const target = (n * c.groups + g) * c.outChannels * outPlane + i * c.outWidth;
  const b = g * c.outChannels;
  const kxFrom = firstInside(from * strideX - c.padX, dilationX);
  const kxTo = endInside(from * strideX - c.padX, dilationX, width, c.kernelWidth);
  const source = (n * c.groups + g) * inChannels * plane;
  const top = source + kxFrom * dilationX + (i * c.strideY - c.padY) * width - c.padX;
  for (let j = from; j < to; j += 2) {
    const second = j + 1 < to ? strideX : 0;
    let a0 = 0;
    let a1 = 0;
    let a2 = 0;
    let a3 = 0;
    let b0 = 0;
    let b1 = 0;
    let b2 = 0;
    let b3 = 0;
    for (let ci = 0; ci < inChannels; ci++) {
      for (let ky = kyFrom; ky < kyTo; ky++) {
        let p = top + ci * plane + ky * dilationY * width + j * strideX;
        let q = weight + ci * weightIn + ky * weightY + kxFrom * weightX;
        for (let kx = kxFrom; kx < kxTo; kx++, p += dilationX, q += weightX) {
          const u = x[p] as number;
          const v = x[p + second] as number;
          const k0 = w[q] as number;
          const k1 = w[q + w1] as number;
          const k2 = w[q + w2] as number;
          const k3 = w[q + w3] as number;
          a0 += u * k0;
          a1 += u * k1;
          a2 += u * k2;
          a3 += u * k3;
          b0 += v * k0;
          b1 += v * k1;
          b2 += v * k2;
          b3 += v * k3;
        }
      }
    }
    if (bias) {
      const f = Math.fround;
      a0 = f(a0) + (bias[b + o] as number);
      a1 = f(a1) + (bias[b + o1] as number);
      a2 = f(a2) + (bias[b + o2] as number);
      a3 = f(a3) + (bias[b + o3] as number);
      b0 = f(b0) + (bias[b + o] as number);
      b1 = f(b1) + (bias[b + o1] as number);
      b2 = f(b2) + (bias[b + o2] as number);
      b3 = f(b3) + (bias[b + o3] as number);
    }
    const t = target + j;
    y[t + o * outPlane] = a0;
    y[t + o1 * outPlane] = a1;
    y[t + o2 * outPlane] = a2;
    y[t + o3 * outPlane] = a3;
    if (second > 0) {
      y[t + 1 + o * outPlane] = b0;
      y[t + 1 + o1 * outPlane] = b1;
      y[t + 1 + o2 * outPlane] = b2;
      y[t + 1 + o3 * outPlane] = b3;
    }
  }
}

export interface CorrelationOperands {
  readonly x: Operand;
  readonly weight: Operand;
  readonly bias?: Operand | undefined;
  readonly y: Operand;
}

/** Output channels that one invocation computes, and pixels of 'conv/conv2d', rows and columns of 'conv/conv2d-3x3'. */
const CHANNELS = 8;
const PIXELS = 8;
const ROWS = 7;
const COLUMNS = 2;

/**
 * A tile of 7 rows takes the same time if the image ends inside it, but is three times as fast as single pixels, so a
 * half-empty tile still pays.
 */
function tilesPay(c: Correlation): boolean {
  const computed = Math.ceil(c.outHeight / ROWS) * ROWS * Math.ceil(c.outWidth / COLUMNS) * COLUMNS;
  return isPlain3x3(c) && computed <= 2 * c.outHeight * c.outWidth;
}

export function correlationLaunch(c: Correlation, { x, weight, bias, y }: CorrelationOperands): DenseLaunch {
  const channelTiles = Math.ceil(c.outChannels / CHANNELS);
  const steps = [c.weightGroup, c.weightStart, c.weightOut, c.weightIn, c.weightY, c.weightX];
  const hasBias = bias === undefined ? 0 : 1;
  // Without a bias, the bias binding gets the weight, which the kernel then ignores.
  const bindings = [x, weight, bias ?? weight, y];
  const launch = (kernel: DenseLaunch['kernel'], params: readonly number[], invocations: number): DenseLaunch => ({
    kind: 'dense',
    kernel,
    bindings,
    // As u32, because steps and paddings may be negative.
    params: params.map((p) => p >>> 0),
    workgroups: grid(invocations),
  });
  if (tilesPay(c)) {
    const [columnTiles, rowTiles] = [Math.ceil(c.outWidth / COLUMNS), Math.ceil(c.outHeight / ROWS)];
    const n = c.batch * c.groups * channelTiles * rowTiles * columnTiles;
    const sizes = [c.height, c.width, c.outHeight, c.outWidth, c.padY, c.padX];
    const tiles = [n, columnTiles, rowTiles, channelTiles, c.groups, c.inChannels, c.outChannels];
    return launch('conv/conv2d-3x3', [...tiles, ...sizes, ...steps, hasBias], n);
  }
  const tiles = Math.ceil((c.batch * c.outHeight * c.outWidth) / PIXELS);
  const params = [
    ...[tiles, channelTiles, c.batch, c.groups, c.inChannels, c.outChannels],
    ...[c.height, c.width, c.outHeight, c.outWidth, c.kernelHeight, c.kernelWidth],
    ...[c.strideY, c.strideX, c.padY, c.padX, c.dilationY, c.dilationX],
    ...[...steps, hasBias],
  ];
  return launch('conv/conv2d', params, tiles * channelTiles * c.groups);
}
