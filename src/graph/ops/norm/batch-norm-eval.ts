/**
 * y = (x - running_mean) / sqrt(running_var + eps) weight + bias per channel:
 * torch.nn.functional.batch_norm(training=False). Inputs x [N, C, ...], running_mean, running_var, weight and bias [C]
 * (weight and bias both or none); outputs y, and invstd [C] for the gradient, which treats the running values as
 * constants.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { OpDef } from '../../op';
import { normalize, normalizeLaunch } from './batch-norm';
import { expectPerChannel, invocationsOf, perChannel, splitForMap, splitParams, viewOf } from './channels';

export const batchNormEval: OpDef = {
  name: 'norm/batch-norm-eval',
  infer(inputs) {
    const x = at(inputs, 0);
    const { channels } = viewOf(x.shape);
    expectPerChannel(inputs.slice(1), ['running_mean', 'running_var', 'weight', 'bias'], channels);
    return [x, perChannel(channels)];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const affine = c.types.inputs.length > 3;
    const invstd = c.output(1);
    const [dweight, dbias] =
      affine && (c.needsGrad(3) || c.needsGrad(4))
        ? c.emit('norm/batch-norm-grad-reduce', [dy, c.input(0), c.input(1), invstd], {}, [3, 4])
        : [];
    const operands = affine ? [dy, invstd, c.input(3)] : [dy, invstd];
    const dx = c.needsGrad(0) ? c.emit('norm/batch-norm-eval-grad-input', operands, {}, [0])[0] : undefined;
    return [dx, undefined, undefined, dweight, dbias];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const view = viewOf(at(inputTypes, 0).shape);
    const [variance, invstd] = [at(inputs, 2), at(outputs, 1)];
    for (let c = 0; c < view.channels; c++) invstd[c] = 1 / Math.sqrt((variance[c] as number) + Number(attrs.eps));
    const affine = { weight: inputs[3], bias: inputs[4] };
    normalize(at(inputs, 0), { mean: at(inputs, 1), invstd, span: 0, ...affine }, view, at(outputs, 0));
  },
  lower(types) {
    const { channels } = viewOf(at(types.inputs, 0).shape);
    const y = types.inputs.length;
    const [weight, bias] = y > 3 ? [3, 4] : [];
    return [
      {
        kind: 'dense',
        kernel: 'norm/invstd',
        bindings: [2, y + 1],
        params: [channels, { f32: Number(types.attrs.eps) }],
        workgroups: grid(channels),
      },
      normalizeLaunch(types, { mean: 1, invstd: y + 1, span: 0, weight, bias }, y),
    ];
  },
  flops: (types) => 4 * elements(at(types.inputs, 0).shape),
};

/** Inputs dy [N, C, ...], invstd and weight (optional) [C]; output dx = dy invstd weight. */
export const batchNormEvalGradInput: OpDef = {
  name: 'norm/batch-norm-eval-grad-input',
  infer: (inputs) => [at(inputs, 0)],
  cpu({ inputs, outputs, inputTypes }) {
    const { batch, channels, plane } = viewOf(at(inputTypes, 0).shape);
    const [dy, invstd, weight, dx] = [at(inputs, 0), at(inputs, 1), inputs[2], at(outputs, 0)];
    for (let pair = 0; pair < batch * channels; pair++) {
      const c = pair % channels;
      const scale = (invstd[c] as number) * (weight ? (weight[c] as number) : 1);
      const end = (pair + 1) * plane;
      for (let i = pair * plane; i < end; i++) dx[i] = (dy[i] as number) * scale;
    }
  },
  lower(types) {
    const split = splitForMap(viewOf(at(types.inputs, 0).shape), 1);
    const affine = types.inputs.length > 2;
    return [
      {
        kind: 'dense',
        kernel: 'norm/batch-norm-eval-grad-input',
        constants: { AFFINE: affine ? 1 : 0 },
        bindings: affine ? [0, 1, 2, 3] : [0, 1, 1, 2],
        params: splitParams(split),
        workgroups: grid(invocationsOf(split)),
      },
    ];
  },
  flops: (types) => elements(at(types.inputs, 0).shape),
};
