/**
 * db[c] = sum of dy [N, C, ...] over samples and pixels: the gradient of a bias added to channels (of conv_transpose2d;
 * conv2d-grad-params uses the same kernels for its db). Two launches, as in conv2d-grad-params: the first sums runs of
 * rows of the batch into scratch memory (the last output), the second adds these sums.
 */
import { at } from '../../../base/invariant';
import { elements, type HostArray, type Shape } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { Attrs, DenseLaunch, OpDef, Operand } from '../../op';

/** dy as [batch, channels, height, width], cut into parts of `rowsOfPart` rows (row = sample and row of the image). */
export interface ChannelRows {
  readonly batch: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
  readonly rowsOfPart: number;
  readonly parts: number;
}

/** `rank`: how many dimensions of dy are spatial. */
export function channelRows(dy: Shape, rank: number): ChannelRows {
  const channels = at(dy, dy.length - rank - 1);
  const height = rank === 1 ? 1 : at(dy, dy.length - 2);
  const batch = dy.length === rank + 2 ? at(dy, 0) : 1;
  const rows = batch * height;
  const rowsOfPart = Math.ceil(rows / Math.max(1, Math.round(1024 / channels)));
  return { batch, channels, height, width: at(dy, dy.length - 1), rowsOfPart, parts: Math.ceil(rows / rowsOfPart) };
}

const rowsOf = (dy: Shape, attrs: Attrs): ChannelRows => channelRows(dy, Number(attrs.rank ?? 2));

/** Sums of part after part into scratch[part * length + start + channel]. */
export function channelParts(r: ChannelRows, dy: HostArray, scratch: HostArray, length: number, start: number): void {
  const rows = r.batch * r.height;
  for (let part = 0; part < r.parts; part++) {
    const end = Math.min(rows, (part + 1) * r.rowsOfPart);
    for (let c = 0; c < r.channels; c++) {
      let sum = 0;
      for (let row = part * r.rowsOfPart; row < end; row++) {
        const n = Math.floor(row / r.height);
        const from = ((n * r.channels + c) * r.height + row - n * r.height) * r.width;
        for (let j = from; j < from + r.width; j++) sum += dy[j] as number;
      }
      scratch[part * length + start + c] = sum;
    }
  }
}

export function channelPartsLaunch(
  r: ChannelRows,
  dy: Operand,
  scratch: Operand,
  length: number,
  start: number,
): DenseLaunch {
  const n = r.parts * r.channels;
  const lanes = r.width % 4 === 0 ? 4 : 1;
  return {
    kind: 'dense',
    kernel: lanes === 4 ? 'conv/channel-sums-vec4' : 'conv/channel-sums',
    bindings: [dy, scratch],
    params: [n, r.rowsOfPart, length, start, r.batch, r.channels, r.height, r.width / lanes],
    workgroups: grid(n),
  };
}

/** target[i] = sum over parts of scratch[part * length + start + i], in order. */
export function addParts(scratch: HostArray, target: HostArray, parts: number, length: number, start: number): void {
  for (let i = 0; i < target.length; i++) {
    let sum = 0;
    for (let part = 0; part < parts; part++) sum += scratch[part * length + start + i] as number;
    target[i] = sum;
  }
}

export function addPartsLaunch(
  scratch: Operand,
  target: Operand,
  sizes: { readonly count: number; readonly parts: number; readonly length: number; readonly start: number },
): DenseLaunch {
  const { count, parts, length, start } = sizes;
  return {
    kind: 'dense',
    kernel: 'conv/add-parts',
    bindings: [scratch, target],
    params: [count, parts, length, start],
    workgroups: grid(count),
  };
}

export const channelSums: OpDef = {
  name: 'conv/channel-sums',
  infer(inputs, attrs) {
    const r = rowsOf(at(inputs, 0).shape, attrs);
    return [
      { shape: [r.channels], dtype: 'f32' },
      { shape: [r.parts, r.channels], dtype: 'f32' },
    ];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const r = rowsOf(at(inputTypes, 0).shape, attrs);
    const scratch = at(outputs, 1);
    channelParts(r, at(inputs, 0), scratch, r.channels, 0);
    addParts(scratch, at(outputs, 0), r.parts, r.channels, 0);
  },
  lower({ inputs, attrs }) {
    const r = rowsOf(at(inputs, 0).shape, attrs);
    const sizes = { count: r.channels, parts: r.parts, length: r.channels, start: 0 };
    return [channelPartsLaunch(r, 0, 2, r.channels, 0), addPartsLaunch(2, 1, sizes)];
  },
  flops: ({ inputs }) => elements(at(inputs, 0).shape),
};
