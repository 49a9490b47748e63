/**
 * SyncBatchNorm's local work between the collectives, after torch.nn.modules._functions.SyncBatchNorm:
 * 'norm/sync-batch-norm-stats' makes the vector that is all-gathered, 'norm/sync-batch-norm-gather' combines the
 * vectors of all ranks (torch.batch_norm_gather_stats_with_counts: counts may differ) and updates the running
 * statistics. The normalisation and its gradient are batch norm's own, with the count of all ranks.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { DenseLaunch, OpDef } from '../../op';
import { joinMoments, moments } from './channel-moments';
import {
  expectPerChannel,
  invocationsOf,
  partialType,
  perChannel,
  splitForSums,
  splitParams,
  viewOf,
} from './channels';

/** Input x [N, C, ...]; outputs [2C + 1]: mean, invstd and count, and scratch. */
export const syncBatchNormStats: OpDef = {
  name: 'norm/sync-batch-norm-stats',
  infer(inputs) {
    const view = viewOf(at(inputs, 0).shape);
    return [{ shape: [2 * view.channels + 1], dtype: 'f32' }, partialType(splitForSums(view))];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const split = splitForSums(viewOf(at(inputTypes, 0).shape));
    const [own, partial] = [at(outputs, 0), at(outputs, 1)];
    moments(at(inputs, 0), split, partial);
    const count = split.batch * split.plane;
    for (let c = 0; c < split.channels; c++) {
      const { mean, squares } = joinMoments(partial, split, c);
      own[c] = mean;
      own[split.channels + c] = 1 / Math.sqrt(squares / count + Number(attrs.eps));
    }
    own[2 * split.channels] = count;
  },
  lower(types) {
    const split = splitForSums(viewOf(at(types.inputs, 0).shape));
    return [
      {
        kind: 'dense',
        kernel: split.width === 4 ? 'norm/moments-vec4' : 'norm/moments',
        bindings: [0, 2],
        params: splitParams(split),
        workgroups: grid(invocationsOf(split)),
      },
      {
        kind: 'dense',
        kernel: 'norm/sync-batch-norm-stats',
        bindings: [2, 1],
        params: [...splitParams(split), split.width, { f32: Number(types.attrs.eps) }],
        workgroups: grid(split.channels),
      },
    ];
  },
  flops: (types) => 5 * elements(at(types.inputs, 0).shape),
};

/**
 * Inputs gathered [ranks * (2C + 1)], running_mean, running_var [C], num_batches_tracked [1]; attrs `eps`, `momentum`
 * or `cumulative`, as norm/batch-norm-stats. Outputs mean and invstd [C] over all ranks, and the three running values,
 * which must be updated in place.
 */
export const syncBatchNormGather: OpDef = {
  name: 'norm/sync-batch-norm-gather',
  infer(inputs) {
    const channels = elements(at(inputs, 1).shape);
    expectPerChannel(inputs.slice(1, 3), ['running_mean', 'running_var'], channels);
    const type = perChannel(channels);
    return [type, type, type, type, { shape: [1], dtype: 'i32' }];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const gathered = at(inputs, 0);
    const [mean, invstd, runningMean, runningVar] = [at(outputs, 0), at(outputs, 1), at(outputs, 2), at(outputs, 3)];
    const tracked = at(outputs, 4);
    const channels = elements(at(inputTypes, 1).shape);
    const width = 2 * channels + 1;
    const seen = (tracked[0] as number) + 1;
    tracked[0] = seen;
    const momentum = attrs.cumulative === true ? 1 / seen : Number(attrs.momentum ?? 0.1);
    const eps = Number(attrs.eps);
    for (let c = 0; c < channels; c++) {
      let [average, squares, n] = [0, 0, 0];
      for (let start = 0; start < gathered.length; start += width) {
        const count = gathered[start + 2 * channels] as number;
        if (count < 1) continue;
        const own = gathered[start + c] as number;
        const deviation = 1 / (gathered[start + channels + c] as number);
        squares += (deviation * deviation - eps) * count + ((average - own) ** 2 * n * count) / (n + count);
        average = (n * average + count * own) / (n + count);
        n += count;
      }
      mean[c] = average;
      invstd[c] = 1 / Math.sqrt(squares / n + eps);
      runningMean[c] = (1 - momentum) * (runningMean[c] as number) + momentum * average;
      runningVar[c] = (1 - momentum) * (runningVar[c] as number) + (momentum * squares) / (n - 1);
    }
  },
  lower(types) {
    const channels = elements(at(types.inputs, 1).shape);
    const cumulative = types.attrs.cumulative === true;
    const momentum = cumulative ? 0 : Number(types.attrs.momentum ?? 0.1);
    const ranks = elements(at(types.inputs, 0).shape) / (2 * channels + 1);
    const count: DenseLaunch = {
      kind: 'dense',
      kernel: 'norm/count-batch',
      bindings: [8],
      params: [],
      workgroups: [1, 1],
    };
    return [
      ...(cumulative ? [count] : []),
      {
        kind: 'dense',
        kernel: 'norm/sync-batch-norm-gather',
        constants: { CUMULATIVE: cumulative ? 1 : 0 },
        bindings: [0, 4, 5, 6, 7, 8],
        params: [channels, ranks, { f32: Number(types.attrs.eps) }, { f32: momentum }],
        workgroups: grid(channels),
      },
    ];
  },
  flops: (types) => 10 * elements(at(types.inputs, 0).shape),
};
