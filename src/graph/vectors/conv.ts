/**
 * Convolutions and pooling with vectors. An image is copied with its padding around it, which the plain loops leave
 * out: zero times a weight changes nothing, unless the weight is infinite or NaN; then the plain kernel does it.
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

/** An image with its padding, and a few columns more for a vector that is not full. */
function paddedImage(g: ConvGeometry) {
  const tall = (g.outHeight - 1) * g.strideY + (g.kernelHeight - 1) * g.dilationY + 1;
  const wide = (upTo(g.outWidth, WIDE) - 1) * g.strideX + (g.kernelWidth - 1) * g.dilationX + 1;
  return { tall: Math.max(tall, g.padY + g.height), wide: Math.max(wide, g.padX + g.width) };
}

/** Where the pixel of each tap (channel, row, column of the kernel) lies behind the first one of a window, in bytes. */
function tapsOf(g: ConvGeometry, { tall, wide }: { readonly tall: number; readonly wide: number }): number[] {
  const taps: number[] = [];
  for (let c = 0; c < g.inChannels; c++)
    for (let ky = 0; ky < g.kernelHeight; ky++)
      for (let kx = 0; kx < g.kernelWidth; kx++)
        taps.push(DOUBLE * ((c * tall + ky * g.dilationY) * wide + kx * g.dilationX));
  return taps;
}

/** y = the correlation of x with w, by `plain` where a weight is not finite. */
function correlation(
  c: Correlation,
  {
    x,
    w,
    y,
    bias,
  }: { readonly x: HostArray; readonly w: HostArray; readonly y: HostArray; readonly bias?: HostArray | undefined },
  vectors: Vectors,
  plain: () => void,
): (() => void) | undefined {
  if (c.strideX !== 1 || c.padX < 0 || c.padY < 0) return undefined;
  const { kernels, scratch } = vectors;
  const image = paddedImage(c);
  const taps = tapsOf(c, image);
  const out = upTo(c.outChannels, WIDE);
  const tapsAt = scratch;
  const weightsAt = scratch + upTo(FLOAT * taps.length, 16);
  const imageAt = weightsAt + DOUBLE * out * taps.length;
  const pixels = c.inChannels * image.tall * image.wide;
  if (!vectors.fits(imageAt - scratch + DOUBLE * pixels)) return undefined;
  const tapTable = vectors.words(tapsAt, taps.length);
  const weights = vectors.doubles(weightsAt, out * taps.length);
  const [plane, outPlane] = [c.height * c.width, c.outHeight * c.outWidth];
  return () => {
    if (kernels.allFinite(addressOf(w), w.length) === 0) {
      plain();
      return;
    }
    tapTable.set(taps);
    for (let group = 0; group < c.groups; group++) {
      turnWeights(c, w, group, weights, taps.length);
      for (let n = 0; n < c.batch; n++) {
        const source = addressOf(x) + FLOAT * (n * c.groups + group) * c.inChannels * plane;
        kernels.pad(source, c.inChannels, c.height, c.width, imageAt, image.tall, image.wide, c.padY, c.padX);
        kernels.correlate(
          ...[imageAt, DOUBLE * c.strideY * image.wide, tapsAt, taps.length, weightsAt],
          ...[bias ? addressOf(bias) + FLOAT * group * c.outChannels : 0],
          ...[addressOf(y) + FLOAT * (n * c.groups + group) * c.outChannels * outPlane],
          ...[c.outChannels, c.outHeight, c.outWidth],
        );
      }
    }
  };
}

/** weights[o / 4][tap][o % 4], with zeros for channels that are not there. */
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

/** Part by part, as the plain kernel: each is a run of rows of the batch, which may end within an image. */
const gradParams: VectorOp = (args: CpuArgs, vectors) => {
  const { inputs, outputs } = args;
  const { g, hasBias, plan } = gradParamsPlan(args);
  const [x, dy, dw] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
  const partial = at(outputs, hasBias ? 2 : 1);
  const { kernels, scratch } = vectors;
  const image = paddedImage(g);
  const taps = tapsOf(g, image);
  const filled = upTo(taps.length, WIDE);
  const wide = upTo(g.outChannels, WIDE);
  const tapsAt = scratch;
  const sumsAt = scratch + upTo(FLOAT * filled, 16);
  const biasAt = sumsAt + DOUBLE * filled * wide;
  const rowsAt = biasAt + DOUBLE * wide;
  const imageAt = rowsAt + DOUBLE * Math.min(plan.rowsOfPart, g.outHeight) * g.outWidth * wide;
  if (!vectors.fits(imageAt - scratch + DOUBLE * g.inChannels * image.tall * image.wide)) return undefined;
  const tapTable = vectors.words(tapsAt, filled);
  const sums = vectors.doubles(sumsAt, filled * wide);
  const biases = vectors.doubles(biasAt, wide);
  const [plane, outPlane] = [g.height * g.width, g.outHeight * g.outWidth];
  const length = plan.weights + plan.biases;
  const rows = g.batch * g.outHeight;

  /** The rows of one part in one image, of one group. */
  function addRows(group: number, n: number, from: number, count: number): void {
    const first = addressOf(dy) + FLOAT * ((n * g.groups + group) * g.outChannels * outPlane + from * g.outWidth);
    kernels.turnRows(first, g.outChannels, outPlane, count * g.outWidth, rowsAt, wide);
    const down = DOUBLE * g.strideY * image.wide;
    const top = imageAt + from * down;
    const steps = [down, DOUBLE * g.strideX, tapsAt, filled];
    kernels.addWeightGrad(top, ...steps, rowsAt, wide, count, g.outWidth, sumsAt);
    if (hasBias) kernels.addBiasGrad(rowsAt, count * g.outWidth, wide, biasAt);
  }

  return () => {
    if (kernels.allFinite(addressOf(dy), dy.length) === 0) {
      conv2dGradParams.cpu(args);
      return;
    }
    tapTable.fill(0);
    tapTable.set(taps);
    for (let group = 0; group < g.groups; group++) {
      let padded = -1;
      for (let part = 0; part < plan.parts; part++) {
        sums.fill(0);
        biases.fill(0);
        const end = Math.min(rows, (part + 1) * plan.rowsOfPart);
        for (let row = part * plan.rowsOfPart; row < end; ) {
          const n = Math.floor(row / g.outHeight);
          const count = Math.min(end, (n + 1) * g.outHeight) - row;
          if (n !== padded) {
            const source = addressOf(x) + FLOAT * (n * g.groups + group) * g.inChannels * plane;
            kernels.pad(source, g.inChannels, g.height, g.width, imageAt, image.tall, image.wide, g.padY, g.padX);
            padded = n;
          }
          addRows(group, n, row - n * g.outHeight, count);
          row += count;
        }
        const to = addressOf(partial) + FLOAT * (part * length + group * g.outChannels * taps.length);
        kernels.roundSums(sumsAt, to, taps.length, wide, g.outChannels);
        if (!hasBias) continue;
        const second = addressOf(partial) + FLOAT * (part * length + plan.weights + group * g.outChannels);
        kernels.roundSums(biasAt, second, 1, wide, g.outChannels);
      }
    }
    kernels.addParts(addressOf(partial), addressOf(dw), plan.weights, plan.parts, length);
    if (!hasBias) return;
    const second = addressOf(partial) + FLOAT * plan.weights;
    kernels.addParts(second, addressOf(at(outputs, 1)), plan.biases, plan.parts, length);
  };
};

const maxPool: VectorOp = ({ inputs, outputs, inputTypes, attrs }, { kernels }) => {
  const p = poolingOf(at(inputTypes, 0).shape, attrs);
  if (!isPlain2x2(p)) return undefined;
  const operands = [at(inputs, 0), at(outputs, 0), at(outputs, 1)].map(addressOf);
  const sizes = [p.planes, p.height, p.width, p.outHeight, p.outWidth, hasRelu(attrs) ? 1 : 0];
  return () => kernels.maxPool2x2(...operands, ...sizes);
};

const maxPoolGrad: VectorOp = ({ inputs, outputs, outputTypes, attrs }, { kernels }) => {
  const p = poolingOf(at(outputTypes, 0).shape, attrs);
  const [dy, index, dx] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
  const y = hasRelu(attrs) ? addressOf(at(inputs, 2)) : 0;
  const sizes = [p.planes, p.height * p.width, p.outHeight * p.outWidth];
  return () => {
    dx.fill(0);
    kernels.maxPoolGrad(addressOf(dy), addressOf(index), y, addressOf(dx), ...sizes);
  };
};

export const CONV_VECTORS: readonly (readonly [string, VectorOp])[] = [
  ['conv/conv2d', forward],
  ['conv/conv2d-grad-input', gradInput],
  ['conv/conv2d-grad-params', gradParams],
  ['conv/max-pool2d', maxPool],
  ['conv/max-pool2d-grad', maxPoolGrad],
];
