/**
 * The statistics of a batch in training: first half of torch.nn.functional.batch_norm(training=True). It is a separate
 * node before the normalisation, because SyncBatchNorm gathers statistics in between. Inputs x [N, C, ...],
 * running_mean, running_var [C], num_batches_tracked (int32 [1]); attrs `eps`, `momentum` (0.1) or `cumulative`
 * (momentum=None). Outputs mean and invstd [C] of the batch (biased variance), the three updated running values
 * (unbiased variance), and scratch. The running values must be updated in place (`into`): on a GPU only the output is
 * bound. Attribute `half`: the type of x and of the running values, if that is half precision. With bf16 torch's CPU
 * kernel rounds the sum of squares and each operation on the running values; with f16 it computes in float32.
 */
import { at } from '../../../base/invariant';
import { HALF_BITS } from '../../../tensor/half-bits-part';
import { elements } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { CpuArgs, DenseLaunch, OpDef } from '../../op';
import { joinMoments, moments } from './channel-moments';
import {
  expectPerChannel,
  expectSeveralValues,
  invocationsOf,
  partialType,
  perChannel,
  type Split,
  splitForSums,
  splitParams,
  viewOf,
} from './channels';

const MEAN = 4;
const PARTIAL = 9;
const TRACKED = 8;

export const batchNormStats: OpDef = {
  name: 'norm/batch-norm-stats',
  infer(inputs) {
    const { shape } = at(inputs, 0);
    const view = viewOf(shape);
    expectSeveralValues(shape);
    expectPerChannel(inputs.slice(1, 3), ['running_mean', 'running_var'], view.channels);
    const channels = perChannel(view.channels);
    return [channels, channels, channels, channels, { shape: [1], dtype: 'i32' }, partialType(splitForSums(view))];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const split = splitForSums(viewOf(at(inputTypes, 0).shape));
    moments(at(inputs, 0), split, at(outputs, 5));
    joinStatistics({ outputs, attrs }, split);
  },
  lower(types) {
    const split = splitForSums(viewOf(at(types.inputs, 0).shape));
    const cumulative = types.attrs.cumulative === true;
    const momentum = cumulative ? 0 : Number(types.attrs.momentum ?? 0.1);
    const count: DenseLaunch = {
      kind: 'dense',
      kernel: 'norm/count-batch',
      bindings: [TRACKED],
      params: [],
      workgroups: [1, 1],
    };
    return [
      ...(cumulative ? [count] : []),
      {
        kind: 'dense',
        kernel: split.width === 4 ? 'norm/moments-vec4' : 'norm/moments',
        bindings: [0, PARTIAL],
        params: splitParams(split),
        workgroups: grid(invocationsOf(split)),
      },
      {
        kind: 'dense',
        kernel: types.attrs.half === 'bf16' ? 'precision/batch-norm-statistics' : 'norm/batch-norm-statistics',
        constants: { CUMULATIVE: cumulative ? 1 : 0 },
        bindings: [PARTIAL, MEAN, MEAN + 1, MEAN + 2, MEAN + 3, TRACKED],
        params: [...splitParams(split), split.width, { f32: Number(types.attrs.eps) }, { f32: momentum }],
        workgroups: grid(split.channels),
      },
    ];
  },
  flops: (types) => 5 * elements(at(types.inputs, 0).shape),
};

/** Computes all other outputs from the moments of the parts in the scratch. */
export function joinStatistics({ outputs, attrs }: Pick<CpuArgs, 'outputs' | 'attrs'>, split: Split): void {
  const [mean, invstd, runningMean, runningVar, tracked, partial] = [0, 1, 2, 3, 4, 5].map((k) => at(outputs, k));
  const count = split.batch * split.plane;
  const rounded = attrs.half === 'bf16' ? HALF_BITS.get().rounder('bf16') : (value: number) => value;
  const seen = at(tracked as Int32Array, 0) + 1;
  (tracked as Int32Array)[0] = seen;
  const momentum = attrs.cumulative === true ? 1 / seen : Number(attrs.momentum ?? 0.1);
  const gain = rounded(momentum);
  const keep = rounded(1 - gain);
  for (let c = 0; c < split.channels; c++) {
    const joined = joinMoments(partial as Float32Array, split, c);
    const center = rounded(joined.mean);
    // Samples without a plane deviate from the rounded mean.
    const apart = split.plane === 1 ? count * (joined.mean - center) ** 2 : 0;
    const squares = rounded(joined.squares + apart);
    (mean as Float32Array)[c] = center;
    (invstd as Float32Array)[c] = 1 / Math.sqrt(rounded(squares / rounded(count)) + Number(attrs.eps));
    const [own, ownVar] = [(runningMean as Float32Array)[c] as number, (runningVar as Float32Array)[c] as number];
    (runningMean as Float32Array)[c] = rounded(keep * own) + rounded(gain * center);
    (runningVar as Float32Array)[c] = rounded(keep * ownVar) + gain * rounded(squares / rounded(count - 1));
  }
}
