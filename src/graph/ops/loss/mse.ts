/**
 * loss = mean or sum of (x - t)^2, as torch.nn.MSELoss; gradient k (x - t) upstream with k = 2 / n (mean) or 2 (sum).
 * Unlike PyTorch it refuses targets of another shape instead of broadcasting them with a warning.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, sameShape } from '../../../tensor/shape';
import { isMean, lossOp } from '../../loss-op';

const f = Math.fround;

export const [mse, mseGrad] = lossOp({
  name: 'loss/mse',
  gradName: 'loss/mse-grad',
  flopsPerElement: 3,
  check(output, target) {
    if (sameShape(output.shape, target.shape)) return;
    throw new LockstepError(
      'shape',
      `Using a target size (torch.Size([${target.shape.join(', ')}])) that is different to the input size (torch.Size([${output.shape.join(', ')}]))`,
      'Give the last layer as many outputs as the target has columns.',
    );
  },
  cpu({ inputs, outputs, attrs }) {
    const x = at(inputs, 0);
    const t = at(inputs, 1);
    let sum = 0;
    for (let i = 0; i < x.length; i++) {
      const d = f((x[i] as number) - (t[i] as number));
      sum = f(sum + f(d * d));
    }
    at(outputs, 0)[0] = isMean(attrs) ? sum / x.length : sum;
  },
  gradCpu({ inputs, outputs, attrs }) {
    const x = at(inputs, 0);
    const t = at(inputs, 1);
    const dx = at(outputs, 0);
    const upstream = at(at(inputs, 2), 0);
    const k = isMean(attrs) ? f(2 / x.length) : 2;
    for (let i = 0; i < dx.length; i++) dx[i] = f(k * f((x[i] as number) - (t[i] as number))) * upstream;
  },
  params(types) {
    const n = elements(at(types.inputs, 0).shape);
    return [n, { f32: isMean(types.attrs) ? n : 1 }];
  },
  gradInvocations: (output) => elements(output.shape),
});
