/**
 * torch.nn.functional.conv_transpose2d: x [N, I, H, W], w [I, O / groups, KH, KW], b [O] (optional); attrs stride,
 * padding, output_padding (`outputPadding`), dilation, groups. It equals the input gradient of the convolution with
 * this weight, and runs as that gradient; so its own gradients are that convolution and its weight gradient.
 */
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape } from '../../../tensor/shape';
import type { Attrs, OpDef, TensorType } from '../../op';
import { gradInputCpu, gradInputLaunch } from './conv2d-grad-input';
import { checkArguments, checkNotEmpty, groupsOf, pairOf, refuse } from './geometry';

function outSize(x: Shape, w: Shape, attrs: Attrs): Shape {
  const [stride, padding, dilation, extra] = [
    pairOf(attrs, 'stride', 1),
    pairOf(attrs, 'padding', 0),
    pairOf(attrs, 'dilation', 1),
    pairOf(attrs, 'outputPadding', 0),
  ];
  return [0, 1].map(
    (d) =>
      (at(x, x.length - 2 + d) - 1) * at(stride, d) -
      2 * at(padding, d) +
      at(dilation, d) * (at(w, 2 + d) - 1) +
      at(extra, d) +
      1,
  );
}

function check(inputs: readonly TensorType[], attrs: Attrs): Shape {
  const [x, w, b] = [at(inputs, 0).shape, at(inputs, 1).shape, inputs[2]?.shape];
  if (x.length !== 3 && x.length !== 4)
    refuse(
      `Expected 3D (unbatched) or 4D (batched) input to conv_transpose2d, but got input of size: ${formatShape(x)}`,
    );
  if (w.length !== 4)
    refuse(`Expected 4-dimensional weight for conv_transpose2d, but got weight of size ${formatShape(w)} instead`);
  checkArguments(attrs, 2);
  if (typeof attrs.padding === 'string') refuse('conv_transpose2d accepts padding only as numbers');
  checkNotEmpty(x, 'conv_transpose2d');
  const groups = groupsOf(attrs);
  const channels = at(x, x.length - 3);
  const weight = `Given transposed=1, weight of size ${formatShape(w)}`;
  if (channels !== at(w, 0))
    refuse(
      `${weight}, expected input${formatShape(x)} to have ${at(w, 0)} channels, but got ${channels} channels instead`,
    );
  if (channels % groups !== 0)
    refuse(
      `Given groups=${groups}, expected weight to be divisible by ${groups} at dimension 0, but got weight of size [${formatShape(w)}] instead`,
    );
  const outChannels = at(w, 1) * groups;
  if (b && (b.length !== 1 || b[0] !== outChannels))
    refuse(
      `${weight}, expected bias to be 1-dimensional with ${outChannels} elements, but got bias of size ${formatShape(b)} instead`,
    );
  const [extraY, extraX] = pairOf(attrs, 'outputPadding', 0);
  const [strideY, strideX] = pairOf(attrs, 'stride', 1);
  const [dilationY, dilationX] = pairOf(attrs, 'dilation', 1);
  if (extraY < 0 || extraX < 0) refuse('negative output_padding is not supported');
  if (extraY >= Math.max(strideY, dilationY) || extraX >= Math.max(strideX, dilationX))
    refuse(
      `output padding must be smaller than either stride or dilation, but got output_padding_height: ${extraY} output_padding_width: ${extraX} stride_height: ${strideY} stride_width: ${strideX} dilation_height: ${dilationY} dilation_width: ${dilationX}`,
    );
  const [h = 0, width = 0] = outSize(x, w, attrs);
  if (h < 1 || width < 1) {
    const given = `${at(x, x.length - 2)} x ${at(x, x.length - 1)}`;
    refuse(
      `Given input size per channel: (${given}). Calculated output size per channel: (${h} x ${width}). Output size is too small`,
    );
  }
  const sizes = [outChannels, h, width];
  return x.length === 4 ? [at(x, 0), ...sizes] : sizes;
}

/** Attributes of the convolution whose input gradient this is. */
function convAttrs(inputs: readonly TensorType[], { outputPadding: _, ...attrs }: Attrs): Attrs {
  return {
    ...attrs,
    inputSize: outSize(at(inputs, 0).shape, at(inputs, 1).shape, { ...attrs, outputPadding: _ ?? 0 }),
  };
}

export const convTranspose2d: OpDef = {
  name: 'conv/conv-transpose2d',
  infer: (inputs, attrs) => [{ shape: check(inputs, attrs), dtype: 'f32' }],
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const { outputPadding: _, ...attrs } = c.types.attrs;
    const kernelSize = at(c.types.inputs, 1).shape.slice(2);
    // The convolution maps dy to x, so here x is the gradient of the convolution's output.
    const dw = c.needsGrad(1)
      ? c.emit('conv/conv2d-grad-params', [dy, c.input(0)], { ...attrs, kernelSize, bias: false }, [1])[0]
      : undefined;
    const hasBias = c.types.inputs.length > 2 && c.needsGrad(2);
    const db = hasBias ? c.emit('conv/channel-sums', [dy], { rank: 2 }, [2])[0] : undefined;
    const dx = c.needsGrad(0) ? c.emit('conv/conv2d', [dy, c.input(1)], attrs, [0])[0] : undefined;
    return [dx, dw, db];
  },
  cpu: (args) => gradInputCpu({ ...args, attrs: convAttrs(args.inputTypes, args.attrs) }),
  lower: (types) => [gradInputLaunch({ ...types, attrs: convAttrs(types.inputs, types.attrs) })],
  flops: ({ inputs }) =>
    (2 * elements(at(inputs, 0).shape) * elements(at(inputs, 1).shape)) / at(at(inputs, 1).shape, 0),
};
