/**
 * dx of max_pool2d: inputs dy and the indices that the forward pass kept; attrs of the pooling and `inputSize` [H, W].
 * With `activation: 'relu'` (set by the pass fuse-pool-relu) it is the gradient of max_pool2d(relu(x)), with the result
 * of the pooling as third input.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef, TensorType } from '../../op';
import { fusesRelu, hasRelu, spansOf } from './max-pool2d';
import { poolingOf } from './pooling';

const inputShape = (inputs: readonly TensorType[], attrs: Attrs) => [
  ...at(inputs, 0).shape.slice(0, -2),
  ...(attrs.inputSize as readonly number[]),
];

export const maxPool2dGrad: OpDef = {
  name: 'conv/max-pool2d-grad',
  infer: (inputs, attrs) => [{ shape: inputShape(inputs, attrs), dtype: 'f32' }],
  cpu({ inputs, outputs, outputTypes, attrs }) {
    const p = poolingOf(at(outputTypes, 0).shape, attrs);
    const [dy, index, dx] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
    const y = hasRelu(attrs) ? at(inputs, 2) : undefined;
    dx.fill(0);
    const outPlane = p.outHeight * p.outWidth;
    const plane = p.height * p.width;
    for (let i = 0, source = 0; source < dx.length; source += plane) {
      for (const end = i + outPlane; i < end; i++) {
        const k = source + (index[i] as number);
        if (y === undefined || !((y[i] as number) <= 0)) dx[k] = (dx[k] as number) + (dy[i] as number);
      }
    }
  },
  lower(types) {
    const { shape } = at(types.outputs, 0);
    const p = poolingOf(shape, types.attrs);
    if (fusesRelu(shape, types.attrs)) {
      const spans = spansOf(p);
      const relu = hasRelu(types.attrs);
      return [
        {
          kind: 'dense',
          kernel: 'conv/max-pool2d-2x2-grad',
          constants: { RELU: relu ? 1 : 0 },
          // Without relu, the binding of y gets dy, which the kernel then does not read through it.
          bindings: relu ? [0, 1, 2, 3] : [0, 1, 0, 2],
          params: [...spans, p.width, p.outHeight, p.outWidth],
          workgroups: grid(spans[0]),
        },
      ];
    }
    if (p.kernelY <= p.strideY && p.kernelX <= p.strideX && p.padY === 0 && p.padX === 0) {
      const [rows, columns] = [Math.ceil(p.height / p.strideY), Math.ceil(p.width / p.strideX)];
      const cells = p.planes * rows * columns;
      const sizes = [cells, rows, columns, p.height, p.width, p.outHeight, p.outWidth, p.strideY, p.strideX];
      return [dense('conv/max-pool2d-spread', types, sizes, grid(cells))];
    }
    const n = elements(at(types.outputs, 0).shape);
    const sizes = [n, p.height, p.width, p.outHeight, p.outWidth];
    const window = [p.kernelY, p.kernelX, p.strideY, p.strideX, p.padY, p.padX];
    return [dense('conv/max-pool2d-grad', types, [...sizes, ...window], grid(n))];
  },
  flops: ({ inputs }) => elements(at(inputs, 0).shape),
};
