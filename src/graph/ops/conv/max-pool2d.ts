/**
 * torch.nn.functional.max_pool2d over x [N, C, H, W]: y, and for the gradient the index of each maximum in its plane
 * (row * W + column, as return_indices gives it). The first maximum in row-major order wins; a NaN wins over everything
 * before it. attrs kernelSize, stride, padding, ceilMode. The gradient adds dy to the element that won; where windows
 * overlap, it sums in the order of the windows. The attribute `activation: 'relu'` makes it the maximum of relu(x);
 * only the pass fuse-pool-relu sets it, after differentiation, where fusesRelu() allows it.
 */
import { at } from '../../../base/invariant';
import { elements, type Shape } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';
import { checkPooling, type Pooling, pooledShape, poolingOf } from './pooling';

/** Whether windows are 2 x 2 with stride 2, all inside the image. */
export const isPlain2x2 = (p: Pooling): boolean =>
  [p.kernelY, p.kernelX, p.strideY, p.strideX].every((k) => k === 2) &&
  p.padY === 0 &&
  p.padX === 0 &&
  2 * p.outHeight <= p.height &&
  2 * p.outWidth <= p.width;

/** Whether 2 x 2 windows cover every pixel exactly once, as the kernels with relu require. */
export function fusesRelu(x: Shape, attrs: Attrs): boolean {
  const p = poolingOf(x, attrs);
  return isPlain2x2(p) && 2 * p.outHeight === p.height && 2 * p.outWidth === p.width;
}

/** Most windows of a row per invocation; a row is divided into equal spans. */
const SPAN = 16;

/** Parameters n, spans and span of the kernels for 2 x 2. */
export function spansOf({ planes, outHeight, outWidth }: Pooling): readonly [n: number, spans: number, span: number] {
  const span = Math.ceil(outWidth / Math.ceil(outWidth / SPAN));
  const spans = Math.ceil(outWidth / span);
  return [planes * outHeight * spans, spans, span];
}

export const hasRelu = (attrs: Attrs): boolean => attrs.activation === 'relu';

export const maxPool2d: OpDef = {
  name: 'conv/max-pool2d',
  infer(inputs, attrs) {
    const x = at(inputs, 0).shape;
    const shape = pooledShape(x, checkPooling(x, attrs, 'max_pool2d'));
    return [
      { shape, dtype: 'f32' },
      { shape, dtype: 'i32' },
    ];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [undefined];
    const inputSize = at(c.types.inputs, 0).shape.slice(-2);
    return c.emit('conv/max-pool2d-grad', [dy, c.output(1)], { ...c.types.attrs, inputSize }, [0]);
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const p = poolingOf(at(inputTypes, 0).shape, attrs);
    const [x, y, index] = [at(inputs, 0), at(outputs, 0), at(outputs, 1)];
    const relu = hasRelu(attrs);
    let out = 0;
    for (let plane = 0; plane < p.planes; plane++) {
      const source = plane * p.height * p.width;
      for (let i = 0; i < p.outHeight; i++) {
        const top = i * p.strideY - p.padY;
        const rowFrom = Math.max(0, top);
        const rowTo = Math.min(p.height, top + p.kernelY);
        for (let j = 0; j < p.outWidth; j++, out++) {
          const left = j * p.strideX - p.padX;
          const columnFrom = Math.max(0, left);
          const columnTo = Math.min(p.width, left + p.kernelX);
          let best = Number.NEGATIVE_INFINITY;
          let where = rowFrom * p.width + columnFrom;
          for (let r = rowFrom; r < rowTo; r++) {
            for (let k = r * p.width + columnFrom; k < r * p.width + columnTo; k++) {
              const v = x[source + k] as number;
              if (v > best || Number.isNaN(v)) {
                best = v;
                where = k;
              }
            }
          }
          y[out] = relu && best <= 0 ? 0 : best;
          index[out] = where;
        }
      }
    }
  },
  lower(types) {
    const p = poolingOf(at(types.inputs, 0).shape, types.attrs);
    const sizes = [p.height, p.width, p.outHeight, p.outWidth];
    if (isPlain2x2(p)) {
      const spans = spansOf(p);
      const constants = { RELU: hasRelu(types.attrs) ? 1 : 0 };
      return [dense('conv/max-pool2d-2x2', types, [...spans, ...sizes], grid(spans[0]), constants)];
    }
    const n = elements(at(types.outputs, 0).shape);
    const window = [p.kernelY, p.kernelX, p.strideY, p.strideX, p.padY, p.padX];
    return [dense('conv/max-pool2d', types, [n, ...sizes, ...window], grid(n))];
  },
  flops: ({ inputs, outputs, attrs }) => {
    const p = poolingOf(at(inputs, 0).shape, attrs);
    return elements(at(outputs, 0).shape) * p.kernelY * p.kernelX;
  },
};
