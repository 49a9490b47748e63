/**
 * loss = mean or sum of -t log s(x) - (1 - t) log(1 - s(x)) with s the sigmoid, as torch.nn.BCEWithLogitsLoss, in PyTorch's stable form:
 * m = max(-x, 0), (1 - t) x + m + log(exp(-m) + exp(-x - m)). Gradient: (s(x) - t) upstream, divided by n for the mean.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, sameShape } from '../../../tensor/shape';
import { isMean, lossOp } from '../../loss-op';

const f = Math.fround;

export const [bceWithLogits, bceWithLogitsGrad] = lossOp({
  name: 'loss/bce-with-logits',
  gradName: 'loss/bce-with-logits-grad',
  flopsPerElement: 24,
  check(output, target) {
    if (sameShape(output.shape, target.shape)) return;
    throw new LockstepError(
      'shape',
      `Target size (torch.Size([${target.shape.join(', ')}])) must be the same as input size (torch.Size([${output.shape.join(', ')}]))`,
      'Give the last layer as many outputs as the target has columns.',
    );
  },
  cpu({ inputs, outputs, attrs }) {
    const x = at(inputs, 0);
    const t = at(inputs, 1);
    let sum = 0;
    for (let i = 0; i < x.length; i++) {
      const v = x[i] as number;
      const m = v < 0 ? -v : 0;
      const tail = f(Math.log(f(f(Math.exp(-m)) + f(Math.exp(f(-v - m))))));
      sum = f(sum + f(f(f(f(1 - (t[i] as number)) * v) + m) + tail));
    }
    at(outputs, 0)[0] = isMean(attrs) ? sum / x.length : sum;
  },
  gradCpu({ inputs, outputs, attrs }) {
    const x = at(inputs, 0);
    const t = at(inputs, 1);
    const dx = at(outputs, 0);
    const upstream = at(at(inputs, 2), 0);
    const divisor = isMean(attrs) ? x.length : 1;
    for (let i = 0; i < dx.length; i++) {
      const s = f(1 / f(1 + f(Math.exp(-(x[i] as number)))));
      dx[i] = f(f(s - (t[i] as number)) * upstream) / divisor;
    }
  },
  params(types) {
    const n = elements(at(types.inputs, 0).shape);
    return [n, { f32: isMean(types.attrs) ? n : 1 }];
  },
  gradInvocations: (output) => elements(output.shape),
});
