/**
 * dx of avg_pool2d and adaptive_avg_pool2d: each window adds dy / (number of elements that it counts) to every element
 * that it covers. Attrs of the forward operator and `inputSize` [H, W].
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import type { Attrs, CpuArgs, OpDef, TensorType } from '../../op';
import { averageLaunch, axesOf, type Counting, countingOf, span } from './avg-pool2d';
import { adaptiveOf, type Pooling, poolingOf } from './pooling';

const inputShape = (inputs: readonly TensorType[], attrs: Attrs) => [
  ...at(inputs, 0).shape.slice(0, -2),
  ...(attrs.inputSize as readonly number[]),
];

function spread(p: Pooling, counting: Counting, { inputs, outputs }: CpuArgs): void {
  const [dy, dx] = [at(inputs, 0), at(outputs, 0)];
  const axes = axesOf(p);
  dx.fill(0);
  for (let i = 0; i < p.outHeight; i++) {
    const [rowFrom, rowTo, rows] = span(counting, i, axes.rows);
    for (let j = 0; j < p.outWidth; j++) {
      const [from, to, columns] = span(counting, j, axes.columns);
      for (let plane = 0; plane < p.planes; plane++) {
        const share = Math.fround((dy[(plane * p.outHeight + i) * p.outWidth + j] as number) / (rows * columns));
        for (let r = rowFrom; r < rowTo; r++) {
          const row = (plane * p.height + r) * p.width;
          for (let k = row + from; k < row + to; k++) dx[k] = (dx[k] as number) + share;
        }
      }
    }
  }
}

function gradient(name: string, poolingFor: typeof poolingOf, counting: (attrs: Attrs) => Counting): OpDef {
  return {
    name,
    infer: (inputs, attrs) => [{ shape: inputShape(inputs, attrs), dtype: 'f32' }],
    cpu: (args) => spread(poolingFor(at(args.outputTypes, 0).shape, args.attrs), counting(args.attrs), args),
    lower(types) {
      const p = poolingFor(at(types.outputs, 0).shape, types.attrs);
      return [averageLaunch('conv/avg-pool2d-grad', p, counting(types.attrs), types)];
    },
    flops: ({ outputs }) => elements(at(outputs, 0).shape),
  };
}

export const avgPool2dGrad = gradient('conv/avg-pool2d-grad', poolingOf, countingOf);
export const adaptiveAvgPool2dGrad = gradient('conv/adaptive-avg-pool2d-grad', adaptiveOf, () => 2);
