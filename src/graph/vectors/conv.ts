/**
 * Convolutions and pooling with vectors. An image is copied with its padding, which the plain loops skip: zero times a
 * weight changes nothing, unless the weight is infinite or NaN; then the plain kernel runs instead.
 */
import { at } from '../../base/invariant';
import type { HostArray } from '../../tensor/shape';
import type { CpuArgs } from '../op';
import { conv2d } from '../ops/conv/conv2d';
import { conv2dGradInput, gradInputGeometry } from '../ops/conv/conv2d-grad-input';
import { conv2dGradParams, gradParamsPlan } from '../ops/conv/conv2d-grad-params';
import { type Correlation, forwardCorrelation, turnedCorrelation } from '../ops/conv/correlation';
import { type ConvGeometry, convGeometry } from '../ops/conv/geometry';
import { hasRelu, isPlain2x2 } from '../ops/conv/max-pool2d';
import { poolingOf } from '../ops/conv/pooling';
import type { VectorOp } from './vector-op';
import { addressOf, type Vectors } from './vectors';

const FLOAT = 4;
const DOUBLE = 8;
/** Channels of output, and columns, that the kernels compute side by side. */
const WIDE = 4;

const upTo = (n: number, step: number): number => Math.ceil(n / step) * step;

/** The size of an image with its padding, and a few more columns for a vector that is not full. */
function paddedImage(g: ConvGeometry) {
  const tall = (g.outHeight - 1) * g.strideY + (g.kernelHeight - 1) * g.dilationY + 1;
  const wide = (upTo(g.outWidth, WIDE) - 1) * g.strideX + (g.kernelWidth - 1) * g.dilationX + 1;
  return { tall: Math.max(tall, g.padY + g.height), wide: Math.max(wide, g.padX + g.width) };
}

/** The offset of each tap's pixel (channel, row, column of the kernel) from the first pixel of a window, in bytes. */
function tapsOf(g: ConvGeometry, { tall, wide }: { readonly tall: number; readonly wide: number }): number[] {
  const taps: number[] = [];
  for (let c = 0; c < g.inChannels; c++)
    for (let ky = 0; ky < g.kernelHeight; ky++)
      for (let kx = 0; kx < g.kernelWidth; kx++)
        taps.push(DOUBLE * ((c * tall + ky * g.dilationY) * wide + kx * g.dilationX));
  return taps;
}

/** `Windows` of assembly/conv with their table of taps; `pixels`: number in a padded image. */
function windowsOf(g: ConvGeometry) {
  const image = paddedImage(g);
  const taps = tapsOf(g, image);
  const sizes = [
    ...[g.inChannels, g.height, g.width, image.tall, image.wide, g.padY, g.padX],
    ...[DOUBLE * g.strideY * image.wide, DOUBLE * g.strideX],
    ...[g.outChannels, g.outHeight, g.outWidth, taps.length],
  ];
  const zeros = Array.from({ length: upTo(taps.length, WIDE) - taps.length }, () => 0);
  return {
    words: [...sizes, ...taps, ...zeros],
    taps: taps.length,
    pixels: g.inChannels * image.tall * image.wide,
    /** Floats of one group of an image, before and after. */
    plane: g.inChannels * g.height * g.width,
    outPlane: g.outChannels * g.outHeight * g.outWidth,
  };
}

/** Fewest images, or parts of a sum over images, per thread. */
const OF_A_THREAD = 1;
/** Fewest additions or pixels per thread. */
const SUMS_OF_A_THREAD = 16_384;
const ELEMENTS_OF_A_THREAD = 8192;

interface Operands {
  readonly x: HostArray;
  readonly w: HostArray;
  readonly y: HostArray;
  readonly bias?: HostArray | undefined;
}

/** y = the correlation of x with w; by `plain` if a weight is not finite. */
function correlation(
  c: Correlation,
  { x, w, y, bias }: Operands,
  vectors: Vectors,
  plain: () => void,
): (() => void) | undefined {
  if (c.strideX !== 1 || c.padX < 0 || c.padY < 0) return undefined;
  const { kernels, scratch } = vectors;
  const windows = windowsOf(c);
  const out = upTo(c.outChannels, WIDE);
  const weightsAt = scratch + upTo(FLOAT * windows.words.length, 16);
  const own = weightsAt - scratch + DOUBLE * out * windows.taps;
  if (!vectors.fits(own + DOUBLE * windows.pixels)) return undefined;
  const table = vectors.words(scratch, windows.words.length);
  const weights = vectors.doubles(weightsAt, out * windows.taps);
  const steps = [windows.plane, windows.outPlane].map((floats) => FLOAT * c.groups * floats) as [number, number];
  const callsOf = (group: number) =>
    vectors
      .runs(c.batch, OF_A_THREAD, 1)
      .map(([from, to]) => [
        ...[scratch, weightsAt, bias ? addressOf(bias) + FLOAT * group * c.outChannels : 0],
        ...[addressOf(x) + FLOAT * group * windows.plane + from * steps[0], steps[0]],
        ...[addressOf(y) + FLOAT * group * windows.outPlane + from * steps[1], steps[1]],
        ...[to - from, own],
      ]);
  const calls = Array.from({ length: c.groups }, (_, group) => callsOf(group));
  return () => {
    if (kernels.allFinite(addressOf(w), w.length) === 0) {
      plain();
      return;
    }
    table.set(windows.words);
    calls.forEach((ofGroup, group) => {
      turnWeights(c, w, group, weights, windows.taps);
      vectors.each('correlateImages', ofGroup, true);
    });
  };
}

/** weights[o / 4][tap][o % 4], padded with zeros to whole groups of four channels. */
function turnWeights(c: Correlation, w: HostArray, group: number, weights: Float64Array, taps: number): void {
  for (let o = 0; o < upTo(c.outChannels, WIDE); o++) {
    let to = (o - (o % WIDE)) * taps + (o % WIDE);
    const start = c.weightStart + group * c.weightGroup + o * c.weightOut;
    for (let ci = 0; ci < c.inChannels; ci++)
      for (let ky = 0; ky < c.kernelHeight; ky++)
        for (let kx = 0; kx < c.kernelWidth; kx++, to += WIDE)
          weights[to] = o < c.outChannels ? at(w, start + ci * c.weightIn + ky * c.weightY + kx * c.weightX) : 0;
  }
}

const forward: VectorOp = (args, vectors) => {
  const { inputs, outputs, inputTypes, attrs } = args;
  const [x, w, y] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
  const g = convGeometry(at(inputTypes, 0).shape, at(inputTypes, 1).shape, attrs);
  return correlation(forwardCorrelation(g), { x, w, y, bias: inputs[2] }, vectors, () => conv2d.cpu(args));
};

const gradInput: VectorOp = (args, vectors) => {
  const { inputs, outputs, inputTypes, attrs } = args;
  const g = gradInputGeometry(inputTypes, attrs);
  if (g.strideY !== 1 || g.strideX !== 1) return undefined;
  const [x, w, y] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
  return correlation(turnedCorrelation(g), { x, w, y, bias: inputs[2] }, vectors, () => conv2dGradInput.cpu(args));
};

/** Part by part, as in the plain kernel: each part is a run of rows of the batch, and may end within an image. */
const gradParams: VectorOp = (args: CpuArgs, vectors) => {
  const { inputs, outputs } = args;
  const { g, hasBias, plan } = gradParamsPlan(args);
  const [x, dy, dw] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)].map(addressOf) as [number, number, number];
  const partial = addressOf(at(outputs, hasBias ? 2 : 1));
  const { kernels, scratch } = vectors;
  const windows = windowsOf(g);
  const wide = upTo(g.outChannels, WIDE);
  const own = upTo(FLOAT * windows.words.length, 16);
  const sums = (upTo(windows.taps, WIDE) + 1) * wide;
  const turned = Math.min(plan.rowsOfPart, g.outHeight) * g.outWidth * wide;
  if (!vectors.fits(own + DOUBLE * (sums + turned + windows.pixels))) return undefined;
  const table = vectors.words(scratch, windows.words.length);
  const length = plan.weights + plan.biases;
  const rows = g.batch * g.outHeight;
  const weightsOfGroup = g.outChannels * windows.taps;
  const callsOf = (group: number) =>
    vectors
      .runs(plan.parts, OF_A_THREAD, 1)
      .map(([from, to]) => [
        ...[scratch, x + FLOAT * group * windows.plane, FLOAT * g.groups * windows.plane],
        ...[dy + FLOAT * group * windows.outPlane, FLOAT * g.groups * windows.outPlane],
        ...[rows, plan.rowsOfPart, from, to, partial + FLOAT * group * weightsOfGroup, FLOAT * length],
        ...[hasBias ? FLOAT * (plan.weights + group * (g.outChannels - weightsOfGroup)) : 0, own],
      ]);
  const calls = Array.from({ length: g.groups }, (_, group) => callsOf(group));
  const sumsOf = (from: number, to: number, count: number) =>
    vectors
      .runs(count, SUMS_OF_A_THREAD / plan.parts)
      .map(([first, end]) => [from + FLOAT * first, to + FLOAT * first, end - first, plan.parts, length]);
  const weightSums = sumsOf(partial, dw, plan.weights);
  const biasSums = hasBias ? sumsOf(partial + FLOAT * plan.weights, addressOf(at(outputs, 1)), plan.biases) : [];

  return () => {
    if (kernels.allFinite(dy, at(inputs, 1).length) === 0) {
      conv2dGradParams.cpu(args);
      return;
    }
    table.set(windows.words);
    for (const ofGroup of calls) vectors.each('weightGradParts', ofGroup, true);
    vectors.each('addParts', weightSums);
    vectors.each('addParts', biasSums);
  };
};

const maxPool: VectorOp = ({ inputs, outputs, inputTypes, attrs }, vectors) => {
  const p = poolingOf(at(inputTypes, 0).shape, attrs);
  if (!isPlain2x2(p)) return undefined;
  const [x, y, index] = [at(inputs, 0), at(outputs, 0), at(outputs, 1)].map(addressOf) as [number, number, number];
  const [before, after] = [FLOAT * p.height * p.width, FLOAT * p.outHeight * p.outWidth];
  const calls = vectors
    .runs(p.planes, ELEMENTS_OF_A_THREAD / (p.height * p.width), 1)
    .map(([from, to]) => [
      ...[x + from * before, y + from * after, index + from * after, to - from],
      ...[p.height, p.width, p.outHeight, p.outWidth, hasRelu(attrs) ? 1 : 0],
    ]);
  return () => vectors.each('maxPool2x2', calls);
};

const maxPoolGrad: VectorOp = ({ inputs, outputs, outputTypes, attrs }, vectors) => {
  const p = poolingOf(at(outputTypes, 0).shape, attrs);
  const [dy, index, dx] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)].map(addressOf) as [number, number, number];
  const y = hasRelu(attrs) ? addressOf(at(inputs, 2)) : undefined;
  const [before, after] = [p.height * p.width, p.outHeight * p.outWidth];
  const calls = vectors.runs(p.planes, ELEMENTS_OF_A_THREAD / before, 1).map(([from, to]) => {
    const bytes = FLOAT * from * after;
    const saved = y === undefined ? 0 : y + bytes;
    return [dy + bytes, index + bytes, saved, dx + FLOAT * from * before, to - from, before, after];
  });
  return () => vectors.each('maxPoolGrad', calls);
};

export const CONV_VECTORS: readonly (readonly [string, VectorOp])[] = [
  ['conv/conv2d', forward],
  ['conv/conv2d-grad-input', gradInput],
  ['conv/conv2d-grad-params', gradParams],
  ['conv/max-pool2d', maxPool],
  ['conv/max-pool2d-grad', maxPoolGrad],
];
