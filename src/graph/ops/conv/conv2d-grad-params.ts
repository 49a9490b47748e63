/**
 * dw and db of a convolution: x [N, C, (H,) W], dy [N, O, (OH,) OW]; attrs of the convolution, `kernelSize` and `bias`.
 * Both are sums over every pixel of every sample. To give a whole GPU work, the sum is cut into parts, each a run of
 * rows of the batch (row = sample and output row): the first launch writes the sum of each part into the last output,
 * scratch memory of [parts, weights and biases]; the second adds the parts in order. Layers with many weights need no
 * parts.
 */
import { at } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { Attrs, CpuArgs, DenseLaunch, OpDef, Operand, TensorType } from '../../op';
import { addParts, addPartsLaunch, type ChannelRows, channelParts, channelPartsLaunch } from './channel-bias-gradient';
import { type ConvGeometry, convGeometry, groupsOf, isPlain3x3 } from './geometry';

/** Invocations that the first launch should have, to fill a GPU. */
const INVOCATIONS = 2048;
/** More parts than this cost more in the second launch than they gain in the first. */
const MOST_PARTS = 512;
/** Output channels, and places (input channel, row and column of the kernel), per invocation of the first launch. */
const CHANNELS = 8;
const PLACES = 9;

function geometryOf(inputs: readonly TensorType[], attrs: Attrs): ConvGeometry {
  const [x, dy] = [at(inputs, 0).shape, at(inputs, 1).shape];
  const kernel = attrs.kernelSize as readonly number[];
  const channels = at(x, x.length - kernel.length - 1);
  const outChannels = at(dy, dy.length - kernel.length - 1);
  return convGeometry(x, [outChannels, channels / groupsOf(attrs), ...kernel], attrs);
}

interface Parts {
  readonly rowsOfPart: number;
  readonly parts: number;
  /** Weights and biases: the length of a part. */
  readonly weights: number;
  readonly biases: number;
  readonly placeTiles: number;
  readonly channelTiles: number;
}

function partsOf(g: ConvGeometry, bias: boolean): Parts {
  const places = g.inChannels * g.kernelHeight * g.kernelWidth;
  const channels = g.groups * g.outChannels;
  const placeTiles = Math.ceil(places / PLACES);
  const channelTiles = Math.ceil(g.outChannels / CHANNELS);
  const rows = g.batch * g.outHeight;
  const wanted = Math.round(INVOCATIONS / (g.groups * placeTiles * channelTiles));
  const rowsOfPart = Math.ceil(rows / Math.min(MOST_PARTS, Math.max(1, wanted)));
  const parts = Math.ceil(rows / rowsOfPart);
  return { rowsOfPart, parts, weights: channels * places, biases: bias ? channels : 0, placeTiles, channelTiles };
}

/** The plan of the CPU kernel: the geometry, whether there is a bias, and the parts. */
export function gradParamsPlan({ inputTypes, attrs }: Pick<CpuArgs, 'inputTypes' | 'attrs'>) {
  const g = geometryOf(inputTypes, attrs);
  const hasBias = attrs.bias === true;
  return { g, hasBias, plan: partsOf(g, hasBias) };
}

/**
 * The first launch for the weights. Both kernels give the same bits; the kernel for 3 x 3 slides a window along the
 * row.
 */
function partsLaunch(g: ConvGeometry, plan: Parts, partial: Operand): DenseLaunch {
  const n = plan.parts * g.groups * plan.placeTiles * plan.channelTiles;
  const length = plan.weights + plan.biases;
  const channels = [g.batch, g.groups, g.inChannels, g.outChannels, g.height, g.width, g.outHeight, g.outWidth];
  const common = { kind: 'dense', bindings: [0, 1, partial], workgroups: grid(n) } as const;
  if (isPlain3x3(g)) {
    const params = [n, plan.rowsOfPart, length, plan.channelTiles, ...channels, g.padY, g.padX];
    return { ...common, kernel: 'conv/conv2d-grad-params-3x3', params };
  }
  const tiles = [n, plan.rowsOfPart, length, plan.placeTiles, plan.channelTiles];
  const window = [g.kernelHeight, g.kernelWidth, g.strideY, g.strideX, g.padY, g.padX, g.dilationY, g.dilationX];
  return { ...common, kernel: 'conv/conv2d-grad-params', params: [...tiles, ...channels, ...window] };
}

const rowsOfDy = (g: ConvGeometry, { rowsOfPart, parts }: Parts): ChannelRows => ({
  batch: g.batch,
  channels: g.groups * g.outChannels,
  height: g.outHeight,
  width: g.outWidth,
  rowsOfPart,
  parts,
});

export const conv2dGradParams: OpDef = {
  name: 'conv/conv2d-grad-params',
  infer(inputs, attrs) {
    const g = geometryOf(inputs, attrs);
    const outChannels = g.groups * g.outChannels;
    const weight: TensorType = {
      shape: [outChannels, g.inChannels, ...(attrs.kernelSize as readonly number[])],
      dtype: 'f32',
    };
    const { parts, weights, biases } = partsOf(g, attrs.bias === true);
    const partial: TensorType = { shape: [parts, weights + biases], dtype: 'f32' };
    return attrs.bias === true ? [weight, { shape: [outChannels], dtype: 'f32' }, partial] : [weight, partial];
  },
  cpu(args) {
    const { inputs, outputs } = args;
    const { g, hasBias, plan } = gradParamsPlan(args);
    const partial = at(outputs, hasBias ? 2 : 1);
    const rows = g.batch * g.outHeight;
    const length = plan.weights + plan.biases;
    for (let part = 0; part < plan.parts; part++) {
      const from = part * plan.rowsOfPart;
      const to = Math.min(rows, from + plan.rowsOfPart);
      weightPart(g, { x: at(inputs, 0), dy: at(inputs, 1), partial }, part * length, from, to);
    }
    addParts(partial, at(outputs, 0), plan.parts, length, 0);
    if (!hasBias) return;
    channelParts(rowsOfDy(g, plan), at(inputs, 1), partial, length, plan.weights);
    addParts(partial, at(outputs, 1), plan.parts, length, plan.weights);
  },
  lower({ inputs, attrs }) {
    const g = geometryOf(inputs, attrs);
    const hasBias = attrs.bias === true;
    const plan = partsOf(g, hasBias);
    const partial = hasBias ? 4 : 3;
    const length = plan.weights + plan.biases;
    const sums = partsLaunch(g, plan, partial);
    const { parts } = plan;
    const launches = [sums, addPartsLaunch(partial, 2, { count: plan.weights, parts, length, start: 0 })];
    if (!hasBias) return launches;
    return [
      ...launches,
      channelPartsLaunch(rowsOfDy(g, plan), 1, partial, length, plan.weights),
      addPartsLaunch(partial, 3, { count: plan.biases, parts, length, start: plan.weights }),
    ];
  },
  flops: ({ inputs, outputs }) =>
    (2 * elements(at(inputs, 1).shape) * elements(at(outputs, 0).shape)) / at(at(outputs, 0).shape, 0),
};

/** Four output channels at a time, which share their loads of x. Sums are in double, rounded once per part. */
function weightPart(
  g: ConvGeometry,
  { x, dy, partial }: Readonly<Record<'x' | 'dy' | 'partial', HostArray>>,
  start: number,
  from: number,
  to: number,
): void {
  const { inChannels, outChannels, groups, height, width, outHeight, outWidth, kernelHeight, kernelWidth, strideX } = g;
  const area = outHeight * outWidth;
  const places = inChannels * kernelHeight * kernelWidth;
  for (let group = 0; group < groups; group++) {
    for (let o = 0; o < outChannels; o += 4) {
      // Beyond the last channel, the last channel is repeated.
      const o1 = Math.min(o + 1, outChannels - 1);
      const o2 = Math.min(o + 2, outChannels - 1);
      const o3 = Math.min(o + 3, outChannels - 1);
      const d1 = (o1 - o) * area;
      const d2 = (o2 - o) * area;
      const d3 = (o3 - o) * area;
      for (let place = 0; place < places; place++) {
        const kx = place % kernelWidth;
        const ky = Math.floor(place / kernelWidth) % kernelHeight;
        const c = Math.floor(place / kernelWidth / kernelHeight);
        const shift = kx * g.dilationX - g.padX;
        const jFrom = shift >= 0 ? 0 : Math.ceil(-shift / strideX);
        const jTo = Math.min(outWidth, Math.ceil((width - shift) / strideX));
        let s0 = 0;
        let s1 = 0;
        let s2 = 0;
        let s3 = 0;
        for (let row = from; row < to; row++) {
          const n = Math.floor(row / outHeight);
          const i = row - n * outHeight;
          const y = i * g.strideY + ky * g.dilationY - g.padY;
          if (y < 0 || y >= height) continue;
          let p = (((n * groups + group) * inChannels + c) * height + y) * width + shift + jFrom * strideX;
          let q = (((n * groups + group) * outChannels + o) * outHeight + i) * outWidth + jFrom;
          for (let j = jFrom; j < jTo; j++, p += strideX, q++) {
            const v = x[p] as number;
            s0 += v * (dy[q] as number);
            s1 += v * (dy[q + d1] as number);
            s2 += v * (dy[q + d2] as number);
            s3 += v * (dy[q + d3] as number);
          }
        }
        const target = start + group * outChannels * places + place;
        partial[target + o * places] = s0;
        partial[target + o1 * places] = s1;
        partial[target + o2 * places] = s2;
        partial[target + o3 * places] = s3;
      }
    }
  }
}
