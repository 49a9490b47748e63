/**
 * torch.nn.functional.avg_pool2d (attrs kernelSize, stride, padding, ceilMode, countIncludePad) and adaptive_avg_pool2d
 * (attr outputSize) over x [N, C, H, W]: the sum of each window, divided by the number of its elements. With
 * countIncludePad, padding counts, but not the cells that ceilMode adds beyond the padding. The windows of adaptive
 * pooling are floor(i H / OH) .. ceil((i + 1) H / OH).
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, CpuArgs, OpDef, OpTypes } from '../../op';
import { adaptiveOf, checkAdaptive, checkPooling, type Pooling, pooledShape, poolingOf } from './pooling';

/** 0: padding does not count, 1: it does, 2: adaptive. */
export type Counting = 0 | 1 | 2;
export const countingOf = (attrs: Attrs): Counting => (attrs.countIncludePad === false ? 0 : 1);

/** Pooling along one dimension. */
interface Axis {
  readonly size: number;
  readonly outSize: number;
  readonly kernel: number;
  readonly stride: number;
  readonly pad: number;
}

export const axesOf = (p: Pooling): { readonly rows: Axis; readonly columns: Axis } => ({
  rows: { size: p.height, outSize: p.outHeight, kernel: p.kernelY, stride: p.strideY, pad: p.padY },
  columns: { size: p.width, outSize: p.outWidth, kernel: p.kernelX, stride: p.strideX, pad: p.padX },
});

/** Elements [from, to) of the image that window i covers in one dimension, and how many it counts. */
export function span(
  counting: Counting,
  i: number,
  { size, outSize, kernel, stride, pad }: Axis,
): readonly [from: number, to: number, count: number] {
  if (counting === 2) {
    const from = Math.floor((i * size) / outSize);
    const to = Math.ceil(((i + 1) * size) / outSize);
    return [from, to, to - from];
  }
  const start = i * stride - pad;
  const end = Math.min(start + kernel, size + pad);
  const [from, to] = [Math.max(0, start), Math.min(end, size)];
  return [from, to, counting === 1 ? end - start : to - from];
}

function average(p: Pooling, counting: Counting, { inputs, outputs }: CpuArgs): void {
  const [x, y] = [at(inputs, 0), at(outputs, 0)];
  const axes = axesOf(p);
  for (let i = 0; i < p.outHeight; i++) {
    const [rowFrom, rowTo, rows] = span(counting, i, axes.rows);
    for (let j = 0; j < p.outWidth; j++) {
      const [from, to, columns] = span(counting, j, axes.columns);
      for (let plane = 0; plane < p.planes; plane++) {
        let sum = 0;
        for (let r = rowFrom; r < rowTo; r++) {
          const row = (plane * p.height + r) * p.width;
          for (let k = row + from; k < row + to; k++) sum += x[k] as number;
        }
        y[(plane * p.outHeight + i) * p.outWidth + j] = sum / (rows * columns);
      }
    }
  }
}

export function averageLaunch(
  kernel: 'conv/avg-pool2d' | 'conv/avg-pool2d-grad',
  p: Pooling,
  counting: Counting,
  types: OpTypes,
) {
  const n = elements(at(types.outputs, 0).shape);
  const sizes = [n, p.height, p.width, p.outHeight, p.outWidth];
  const window = [p.kernelY, p.kernelX, p.strideY, p.strideX, p.padY, p.padX, counting];
  return dense(kernel, types, [...sizes, ...window], grid(n));
}

export const avgPool2d: OpDef = {
  name: 'conv/avg-pool2d',
  infer(inputs, attrs) {
    const x = at(inputs, 0).shape;
    return [{ shape: pooledShape(x, checkPooling(x, attrs, 'avg_pool2d')), dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [undefined];
    const inputSize = at(c.types.inputs, 0).shape.slice(-2);
    return c.emit('conv/avg-pool2d-grad', [dy], { ...c.types.attrs, inputSize }, [0]);
  },
  cpu: (args) => average(poolingOf(at(args.inputTypes, 0).shape, args.attrs), countingOf(args.attrs), args),
  lower: (types) => [
    averageLaunch('conv/avg-pool2d', poolingOf(at(types.inputs, 0).shape, types.attrs), countingOf(types.attrs), types),
  ],
  flops: ({ inputs }) => elements(at(inputs, 0).shape),
};

export const adaptiveAvgPool2d: OpDef = {
  name: 'conv/adaptive-avg-pool2d',
  infer(inputs, attrs) {
    const x = at(inputs, 0).shape;
    return [{ shape: pooledShape(x, checkAdaptive(x, attrs)), dtype: 'f32' }];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [undefined];
    const inputSize = at(c.types.inputs, 0).shape.slice(-2);
    return c.emit('conv/adaptive-avg-pool2d-grad', [dy], { ...c.types.attrs, inputSize }, [0]);
  },
  cpu: (args) => average(adaptiveOf(at(args.inputTypes, 0).shape, args.attrs), 2, args),
  lower: (types) => [averageLaunch('conv/avg-pool2d', adaptiveOf(at(types.inputs, 0).shape, types.attrs), 2, types)],
  flops: ({ inputs }) => elements(at(inputs, 0).shape),
};
