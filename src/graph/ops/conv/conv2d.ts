/**
 * y = conv(x, w) + b, as torch.nn.functional.conv2d and conv1d: x [N, C, (H,) W] or without N, w [O, C / groups, (KH,)
 * KW], b [O] (optional); attrs stride, padding (numbers, 'same', 'valid'), dilation, groups. On the CPU each element is
 * one double sum, rounded once; on a GPU one float32 sum.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import type { OpDef } from '../../op';
import { correlate, correlationLaunch, forwardCorrelation } from './correlation';
import { checkConv, convGeometry, outSizes, shapeLike } from './geometry';
import { padWithNan } from './padding-times-weight';

function convolution(name: 'conv/conv2d' | 'conv/conv1d', rank: 1 | 2): OpDef {
  return {
    name,
    infer(inputs, attrs) {
      const [x, w] = [at(inputs, 0).shape, at(inputs, 1).shape];
      const g = checkConv(rank, x, w, inputs[2]?.shape, attrs);
      return [{ shape: shapeLike(x, at(w, 0), outSizes(g, rank)), dtype: 'f32' }];
    },
    gradient(c) {
      const dy = c.outputGrad(0);
      if (dy === undefined) return [];
      const hasBias = c.types.inputs.length > 2;
      const [x, w] = [at(c.types.inputs, 0).shape, at(c.types.inputs, 1).shape];
      // Parameters first, as in a linear layer.
      const params =
        c.needsGrad(1) || (hasBias && c.needsGrad(2))
          ? c.emit(
              'conv/conv2d-grad-params',
              [c.input(0), dy],
              { ...c.types.attrs, kernelSize: w.slice(2), bias: hasBias },
              hasBias ? [1, 2] : [1],
            )
          : [];
      const inputSize = x.slice(x.length - rank);
      const dx = c.needsGrad(0)
        ? c.emit('conv/conv2d-grad-input', [dy, c.input(1)], { ...c.types.attrs, inputSize }, [0])[0]
        : undefined;
      return [dx, params[0], hasBias ? params[1] : undefined];
    },
    cpu({ inputs, outputs, inputTypes, attrs }) {
      const g = convGeometry(at(inputTypes, 0).shape, at(inputTypes, 1).shape, attrs);
      correlate(forwardCorrelation(g), at(inputs, 0), at(inputs, 1), at(outputs, 0), inputs[2]);
      padWithNan(g, at(inputs, 1), at(outputs, 0));
    },
    lower({ inputs, attrs }) {
      const g = convGeometry(at(inputs, 0).shape, at(inputs, 1).shape, attrs);
      const operands = inputs.length > 2 ? { x: 0, weight: 1, bias: 2, y: 3 } : { x: 0, weight: 1, y: 2 };
      return [correlationLaunch(forwardCorrelation(g), operands)];
    },
    flops: ({ inputs, outputs }) =>
      (2 * elements(at(outputs, 0).shape) * elements(at(inputs, 1).shape)) / at(at(inputs, 1).shape, 0),
  };
}

export const conv2d = convolution('conv/conv2d', 2);
export const conv1d = convolution('conv/conv1d', 1);
