/**
 * The gradient of group norm in one operator: inputs dy, x [N, C, ...], mean, rstd [N * groups], weight [C] (optional);
 * outputs dx, dweight, dbias, and scratch twice. Sums per (sample, channel) pair give the parameters' gradients, summed
 * over samples, and dx, summed over the channels of a group. Emitted by norm/group-norm.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { OpDef } from '../../op';
import { gradSums, joinSums } from './channel-moments';
import { invocationsOf, partialType, partsOf, perChannel, splitForMap, splitForSums, splitParams } from './channels';
import { type Grouping, groupingOf } from './group-norm';

const pairs = ({ view }: Grouping) =>
  splitForSums({ batch: 1, channels: view.batch * view.channels, plane: view.plane });

export const groupNormGrad: OpDef = {
  name: 'norm/group-norm-grad',
  infer(inputs, attrs) {
    const x = at(inputs, 1);
    const grouping = groupingOf(x.shape, attrs);
    const channels = perChannel(grouping.view.channels);
    return [x, channels, channels, partialType(pairs(grouping)), { shape: [2, grouping.groups], dtype: 'f32' }];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const grouping = groupingOf(at(inputTypes, 1).shape, attrs);
    const { view, groups, span } = grouping;
    const split = pairs(grouping);
    const [dy, x, mean, rstd, weight] = [at(inputs, 0), at(inputs, 1), at(inputs, 2), at(inputs, 3), inputs[4]];
    const [dx, dweight, dbias, partial, sums] = [0, 1, 2, 3, 4].map((k) => at(outputs, k) as Float32Array);
    if (!dx || !dweight || !dbias || !partial || !sums) return;
    gradSums({ dy, x, mean, span }, split, partial);
    const perGroup = new Float64Array(2 * groups);
    const perParameter = new Float64Array(2 * view.channels);
    for (let pair = 0; pair < split.channels; pair++) {
      const g = Math.floor(pair / span);
      const c = pair % view.channels;
      const gain = weight ? (weight[c] as number) : 1;
      const [sumDy, sumDyXmu] = joinSums(partial, split, pair);
      perGroup[g] = (perGroup[g] as number) + sumDy * gain;
      perGroup[groups + g] = (perGroup[groups + g] as number) + sumDyXmu * gain;
      perParameter[c] = (perParameter[c] as number) + sumDyXmu * (rstd[g] as number);
      perParameter[view.channels + c] = (perParameter[view.channels + c] as number) + sumDy;
    }
    sums.set(perGroup);
    dweight.set(perParameter.subarray(0, view.channels));
    dbias.set(perParameter.subarray(view.channels));
    const count = span * view.plane;
    for (let pair = 0; pair < split.channels; pair++) {
      const g = Math.floor(pair / span);
      const gain = weight ? (weight[pair % view.channels] as number) : 1;
      const [center, scale] = [mean[g] as number, rstd[g] as number];
      const meanG = (perGroup[g] as number) / count;
      const slope = ((perGroup[groups + g] as number) / count) * scale * scale;
      for (let i = pair * view.plane; i < (pair + 1) * view.plane; i++)
        dx[i] = ((dy[i] as number) * gain - meanG - ((x[i] as number) - center) * slope) * scale;
    }
  },
  lower(types) {
    const grouping = groupingOf(at(types.inputs, 1).shape, types.attrs);
    const { view, groups, span } = grouping;
    const sums = pairs(grouping);
    const map = splitForMap(view, 1);
    const affine = types.inputs.length > 4;
    const constants = { AFFINE: affine ? 1 : 0 };
    const dx = types.inputs.length;
    const [dweight, dbias, partial, perGroup] = [dx + 1, dx + 2, dx + 3, dx + 4];
    const weight = affine ? 4 : 3;
    return [
      {
        kind: 'dense',
        kernel: sums.width === 4 ? 'norm/grad-sums-vec4' : 'norm/grad-sums',
        bindings: [0, 1, 2, partial],
        params: [...splitParams(sums), span],
        workgroups: grid(invocationsOf(sums)),
      },
      {
        kind: 'dense',
        kernel: 'norm/group-norm-grad-params',
        bindings: [partial, 3, dweight, dbias],
        params: [view.batch, view.channels, span, partsOf(sums)],
        workgroups: grid(view.channels),
      },
      {
        kind: 'dense',
        kernel: 'norm/group-norm-grad-sums',
        constants,
        bindings: [partial, weight, perGroup],
        params: [groups, span, partsOf(sums), view.channels],
        workgroups: grid(groups),
      },
      {
        kind: 'dense',
        kernel: 'norm/group-norm-grad-input',
        constants,
        bindings: [0, 1, 2, 3, weight, perGroup, dx],
        params: [...splitParams(map), span, { f32: 1 / (span * view.plane) }],
        workgroups: grid(invocationsOf(map)),
      },
    ];
  },
  flops: (types) => 10 * elements(at(types.inputs, 0).shape),
};
