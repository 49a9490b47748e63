/**
 * dx = the gradient of a convolution's input: dy [N, O, (OH,) OW], w [O, C / groups, (KH,) KW]; attrs of the
 * convolution and `inputSize`, the sizes of x. At stride 1 it is a convolution with the weight rotated by 180 degrees.
 * A third input is a bias that is added to each channel of dx, which makes the operator conv_transpose2d.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, CpuArgs, DenseLaunch, OpDef, OpTypes, TensorType } from '../../op';
import { correlate, correlationLaunch, turnedCorrelation } from './correlation';
import { type ConvGeometry, convGeometry, groupsOf, shapeLike } from './geometry';

function inputShape(inputs: readonly TensorType[], attrs: Attrs) {
  const [dy, w] = [at(inputs, 0).shape, at(inputs, 1).shape];
  return shapeLike(dy, at(w, 1) * groupsOf(attrs), attrs.inputSize as readonly number[]);
}

/** Geometry of the convolution whose input gradient this is. */
export const gradInputGeometry = (inputs: readonly TensorType[], attrs: Attrs): ConvGeometry =>
  convGeometry(inputShape(inputs, attrs), at(inputs, 1).shape, attrs);

const isTurned = (g: ConvGeometry): boolean => g.strideY === 1 && g.strideX === 1;

export function gradInputCpu({ inputs, outputs, inputTypes, attrs }: CpuArgs): void {
  const g = gradInputGeometry(inputTypes, attrs);
  const [dy, w, dx] = [at(inputs, 0), at(inputs, 1), at(outputs, 0)];
  const bias = inputs[2];
  if (isTurned(g)) correlate(turnedCorrelation(g), dy, w, dx, bias);
  else scatter(g, dy, w, dx, bias);
}

/** Adds each row of dy, times each weight, to the row of dx that it came from. */
function scatter(
  g: ConvGeometry,
  dy: CpuArgs['inputs'][0],
  w: CpuArgs['inputs'][0],
  dx: CpuArgs['inputs'][0],
  bias: CpuArgs['inputs'][0] | undefined,
): void {
  const { batch, groups, inChannels, outChannels, height, width, outHeight, outWidth, kernelHeight, kernelWidth } = g;
  const plane = height * width;
  for (let n = 0; n < batch; n++) {
    for (let k = 0; k < groups * inChannels; k++) {
      const group = Math.floor(k / inChannels);
      const target = (n * groups * inChannels + k) * plane;
      dx.fill(0, target, target + plane);
      for (let o = group * outChannels; o < (group + 1) * outChannels; o++) {
        for (let ky = 0; ky < kernelHeight; ky++) {
          for (let kx = 0; kx < kernelWidth; kx++) {
            const weight = w[((o * inChannels + (k % inChannels)) * kernelHeight + ky) * kernelWidth + kx] as number;
            const shift = kx * g.dilationX - g.padX;
            const from = shift >= 0 ? 0 : Math.ceil(-shift / g.strideX);
            const to = Math.min(outWidth, Math.ceil((width - shift) / g.strideX));
            for (let i = 0; i < outHeight; i++) {
              const row = i * g.strideY + ky * g.dilationY - g.padY;
              if (row < 0 || row >= height) continue;
              let p = target + row * width + shift + from * g.strideX;
              let q = ((n * groups * outChannels + o) * outHeight + i) * outWidth + from;
              for (let j = from; j < to; j++, p += g.strideX, q++)
                dx[p] = (dx[p] as number) + Math.fround(weight * (dy[q] as number));
            }
          }
        }
      }
      if (!bias) continue;
      const b = bias[k] as number;
      for (let p = target; p < target + plane; p++) dx[p] = (dx[p] as number) + b;
    }
  }
}

export function gradInputLaunch(types: OpTypes): DenseLaunch {
  const g = gradInputGeometry(types.inputs, types.attrs);
  const hasBias = types.inputs.length > 2;
  if (isTurned(g)) {
    const operands = hasBias ? { x: 0, weight: 1, bias: 2, y: 3 } : { x: 0, weight: 1, y: 2 };
    return correlationLaunch(turnedCorrelation(g), operands);
  }
  const n = elements(at(types.outputs, 0).shape);
  const params = [
    ...[n, g.groups, g.inChannels, g.outChannels, g.height, g.width, g.outHeight, g.outWidth],
    ...[g.kernelHeight, g.kernelWidth, g.strideY, g.strideX, g.padY, g.padX, g.dilationY, g.dilationX, hasBias ? 1 : 0],
  ];
  const launch = dense('conv/conv2d-grad-input', types, params, grid(n));
  return hasBias ? launch : { ...launch, bindings: [0, 1, 1, 2] };
}

export const conv2dGradInput: OpDef = {
  name: 'conv/conv2d-grad-input',
  infer: (inputs, attrs) => [{ shape: inputShape(inputs, attrs), dtype: 'f32' }],
  cpu: gradInputCpu,
  lower: (types) => [gradInputLaunch(types)],
  flops: ({ inputs }) =>
    (2 * elements(at(inputs, 0).shape) * elements(at(inputs, 1).shape)) / at(at(inputs, 1).shape, 0),
};
