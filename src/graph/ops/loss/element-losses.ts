/**
 * torch.nn's MSELoss, L1Loss, SmoothL1Loss, HuberLoss, BCEWithLogitsLoss and BCELoss as rows of the table of
 * elementwise losses.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, type Shape, sameShape } from '../../../tensor/shape';
import type { Attrs, TensorType } from '../../op';
import type { ElementLoss } from './element-loss';

const f = Math.fround;
const torchSize = (shape: Shape): string => `torch.Size([${shape.join(', ')}])`;
const HINT = 'Give the last layer as many outputs as the target has columns.';

function sameSizes([output, target]: readonly TensorType[]): void {
  if (!output || !target || sameShape(output.shape, target.shape)) return;
  const message = `Using a target size (${torchSize(target.shape)}) that is different to the input size (${torchSize(output.shape)})`;
  throw new LockstepError('shape', message, HINT);
}

function logitSizes(inputs: readonly TensorType[]): void {
  const [output, target] = [at(inputs, 0).shape, at(inputs, 1).shape];
  if (!sameShape(output, target)) {
    const message = `Target size (${torchSize(target)}) must be the same as input size (${torchSize(output)})`;
    throw new LockstepError('shape', message, HINT);
  }
  const posWeight = inputs[2]?.shape;
  // One weight for all outputs is broadcast, as in torch.
  if (posWeight && elements(posWeight) > 1 && !sameShape(posWeight, output.slice(output.length - posWeight.length)))
    throw new LockstepError(
      'shape',
      `The size of tensor a (${posWeight.at(-1)}) must match the size of tensor b (${output.at(-1)}) at non-singleton dimension ${output.length - 1}`,
      'loss.posWeight has one weight for each output of the model, or a single weight for all outputs.',
    );
}

const beta = ({ beta: value }: Attrs): number => (typeof value === 'number' ? value : 1);
const delta = ({ delta: value }: Attrs): number => (typeof value === 'number' ? value : 1);

export const ELEMENT_LOSSES: readonly ElementLoss[] = [
  {
    // (x - t)^2
    name: 'loss/mse',
    code: 0,
    flops: 3,
    ofDifference: true,
    check: sameSizes,
    term: (x, t) => f(x - t) ** 2,
    slope: (x, t) => 2 * f(x - t),
  },
  {
    // |x - t|; its slope at 0 is 0, and 0 for NaN, as torch.sign gives it.
    name: 'loss/l1',
    code: 1,
    flops: 2,
    ofDifference: true,
    check: sameSizes,
    term: (x, t) => Math.abs(f(x - t)),
    slope: (x, t) => (x > t ? 1 : x < t ? -1 : 0),
  },
  {
    // d^2 / (2 beta) where |d| < beta, else |d| - beta / 2
    name: 'loss/smooth-l1',
    code: 2,
    flops: 5,
    ofDifference: true,
    param: beta,
    check: sameSizes,
    term(x, t, p) {
      const d = Math.abs(f(x - t));
      return d < p ? f(f(0.5 * d) * d) / p : d - f(0.5 * p);
    },
    slope(x, t, p) {
      const d = f(x - t);
      return Math.abs(d) >= p ? Math.sign(d) : d / p;
    },
  },
  {
    // d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2)
    name: 'loss/huber',
    code: 5,
    flops: 5,
    ofDifference: true,
    param: delta,
    check: sameSizes,
    term(x, t, p) {
      const d = Math.abs(f(x - t));
      return d <= p ? f(0.5 * d) * d : p * f(d - f(0.5 * p));
    },
    slope: (x, t, p) => Math.min(p, Math.max(-p, f(x - t))),
  },
  {
    // -w t log s(x) - (1 - t) log(1 - s(x)) with s the sigmoid and w = pos_weight, in PyTorch's stable form: m =
    // max(-x, 0), (1 - t) x + ((w - 1) t + 1) (m + log(e^-m + e^(-x - m)))
    name: 'loss/bce-with-logits',
    code: 3,
    flops: 24,
    ofDifference: false,
    check: logitSizes,
    term(x, t, _, w) {
      const m = x < 0 ? -x : 0;
      const tail = f(Math.log(f(f(Math.exp(-m)) + f(Math.exp(f(-x - m))))));
      return f(f(1 - t) * x) + f(f(f(w - 1) * t) + 1) * f(tail + m);
    },
    slope(x, t, _, w) {
      const s = f(1 / f(1 + f(Math.exp(-x))));
      if (w === 1) return s - t;
      const positive = f(w * t);
      return f(f(positive + 1 - t) * s) - positive;
    },
  },
];

/** torch.nn.functional.binary_cross_entropy, which no configuration uses. */
export const BCE: ElementLoss = {
  // -t log x - (1 - t) log(1 - x), each logarithm at least -100; x are probabilities.
  name: 'loss/bce',
  code: 4,
  flops: 12,
  ofDifference: false,
  check: sameSizes,
  term: (x, t) => f(f(t - 1) * Math.max(f(Math.log1p(-x)), -100)) - f(t * Math.max(f(Math.log(x)), -100)),
  slope: (x, t) => f(x - t) / Math.max(f(f(1 - x) * x), 1e-12),
};
