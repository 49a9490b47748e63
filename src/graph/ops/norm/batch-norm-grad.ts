/**
 * The gradient of batch norm in two halves, as in torch's SyncBatchNorm, so that an all-reduce of the sums can run in
 * between. Emitted by the rules of norm/batch-norm and norm/batch-norm-eval.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { CpuArgs, OpDef } from '../../op';
import { gradSums, joinSums } from './channel-moments';
import {
  invocationsOf,
  partialType,
  partsOf,
  perChannel,
  type Split,
  splitForMap,
  splitForSums,
  splitParams,
  viewOf,
} from './channels';

/**
 * Inputs dy, x [N, C, ...], mean, invstd [C]. Outputs dweight, dbias, sum_dy, sum_dy_xmu [C] (sums of dy and of dy (x -
 * mean)), and scratch. torch: batch_norm_backward_reduce.
 */
export const batchNormGradReduce: OpDef = {
  name: 'norm/batch-norm-grad-reduce',
  infer(inputs) {
    const view = viewOf(at(inputs, 0).shape);
    const channels = perChannel(view.channels);
    return [channels, channels, channels, channels, partialType(splitForSums(view))];
  },
  cpu({ inputs, outputs, inputTypes }) {
    const split = splitForSums(viewOf(at(inputTypes, 0).shape));
    gradSums({ dy: at(inputs, 0), x: at(inputs, 1), mean: at(inputs, 2), span: 1 }, split, at(outputs, 4));
    joinGradSums({ inputs, outputs }, split);
  },
  lower(types) {
    const split = splitForSums(viewOf(at(types.inputs, 0).shape));
    return [
      {
        kind: 'dense',
        kernel: split.width === 4 ? 'norm/grad-sums-vec4' : 'norm/grad-sums',
        bindings: [0, 1, 2, 8],
        params: [...splitParams(split), 1],
        workgroups: grid(invocationsOf(split)),
      },
      {
        kind: 'dense',
        kernel: 'norm/batch-norm-grad-reduce',
        bindings: [8, 3, 4, 5, 6, 7],
        params: [split.channels, partsOf(split)],
        workgroups: grid(split.channels),
      },
    ];
  },
  flops: (types) => 4 * elements(at(types.inputs, 0).shape),
};

/** Computes all other outputs from the sums of the parts in the scratch. */
export function joinGradSums({ inputs, outputs }: Pick<CpuArgs, 'inputs' | 'outputs'>, split: Split): void {
  const [dweight, dbias, sumDy, sumDyXmu] = [at(outputs, 0), at(outputs, 1), at(outputs, 2), at(outputs, 3)];
  const [invstd, partial] = [at(inputs, 3), at(outputs, 4)];
  for (let c = 0; c < split.channels; c++) {
    const [dy, dyXmu] = joinSums(partial, split, c);
    dweight[c] = dyXmu * (invstd[c] as number);
    dbias[c] = dy;
    sumDy[c] = dy;
    sumDyXmu[c] = dyXmu;
  }
}

/**
 * Inputs dy, x [N, C, ...], mean, invstd, sum_dy, sum_dy_xmu, weight (optional) [C]; output dx; attr `count`. torch:
 * batch_norm_backward_elemt.
 */
export const batchNormGradInput: OpDef = {
  name: 'norm/batch-norm-grad-input',
  infer: (inputs) => [at(inputs, 0)],
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const { batch, channels, plane } = viewOf(at(inputTypes, 0).shape);
    const [dy, x, mean, invstd] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3)];
    const [sumDy, sumDyXmu, weight, dx] = [at(inputs, 4), at(inputs, 5), inputs[6], at(outputs, 0)];
    const count = Number(attrs.count ?? batch * plane);
    for (let pair = 0; pair < batch * channels; pair++) {
      const c = pair % channels;
      const center = mean[c] as number;
      const inv = invstd[c] as number;
      const scale = inv * (weight ? (weight[c] as number) : 1);
      const meanDy = (sumDy[c] as number) / count;
      const slope = ((sumDyXmu[c] as number) / count) * inv * inv;
      const end = (pair + 1) * plane;
      for (let i = pair * plane; i < end; i++)
        dx[i] = ((dy[i] as number) - meanDy - ((x[i] as number) - center) * slope) * scale;
    }
  },
  lower(types) {
    const split = splitForMap(viewOf(at(types.inputs, 0).shape));
    const affine = types.inputs.length > 6;
    const inverseCount = 1 / Number(types.attrs.count ?? split.batch * split.plane);
    return [
      {
        kind: 'dense',
        kernel: split.width === 4 ? 'norm/batch-norm-grad-input-vec4' : 'norm/batch-norm-grad-input',
        constants: { AFFINE: affine ? 1 : 0 },
        bindings: affine ? [0, 1, 2, 3, 4, 5, 6, 7] : [0, 1, 2, 3, 4, 5, 3, 6],
        params: [...splitParams(split), { f32: inverseCount }],
        workgroups: grid(invocationsOf(split)),
      },
    ];
  },
  flops: (types) => 5 * elements(at(types.inputs, 0).shape),
};
