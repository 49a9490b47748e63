/**
 * torch.nn.functional.group_norm: divides the channels of each sample into attr `groups` groups, normalises each group
 * by its own mean and biased variance, then applies weight and bias per channel. Inputs x [N, C, ...], weight and bias
 * [C] (both or none); attr `eps`; outputs y, and mean and rstd [N * groups] for the gradient, and scratch. A group is
 * one contiguous stretch of N * groups: the moments are those of batch norm on a view [1, N * groups, rest].
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements, formatShape, type Shape } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';
import { normalize, normalizeLaunch } from './batch-norm';
import { joinMoments, moments } from './channel-moments';
import {
  type ChannelView,
  expectPerChannel,
  expectSeveralValues,
  invocationsOf,
  partialType,
  perChannel,
  splitForSums,
  splitParams,
  viewOf,
} from './channels';

export interface Grouping {
  readonly view: ChannelView;
  /** Groups of all samples. */
  readonly groups: number;
  /** Channels of a group. */
  readonly span: number;
}

export function groupingOf(shape: Shape, attrs: Attrs): Grouping {
  const view = viewOf(shape);
  const groups = Number(attrs.groups);
  if (!(groups >= 1) || view.channels % groups !== 0) {
    throw new LockstepError(
      'shape',
      `Expected number of channels in input to be divisible by num_groups, but got input of shape ${formatShape(shape)} and num_groups=${groups}`,
      'Choose num_groups so that it divides the number of channels.',
    );
  }
  return { view, groups: view.batch * groups, span: view.channels / groups };
}

const groupRows = ({ view, groups, span }: Grouping): ChannelView => ({
  batch: 1,
  channels: groups,
  plane: span * view.plane,
});

export const groupNorm: OpDef = {
  name: 'norm/group-norm',
  infer(inputs, attrs) {
    const x = at(inputs, 0);
    const grouping = groupingOf(x.shape, attrs);
    // torch treats it as a batch norm over the groups: [N * channels of a group, groups, ...].
    const size = [grouping.view.batch * grouping.span, Number(attrs.groups), ...x.shape.slice(2)];
    expectSeveralValues(size, formatShape(size));
    expectPerChannel(inputs.slice(1), ['weight', 'bias'], grouping.view.channels);
    const groups = perChannel(grouping.groups);
    return [x, groups, groups, partialType(splitForSums(groupRows(grouping)))];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const affine = c.types.inputs.length > 1;
    const operands = [dy, c.input(0), c.output(1), c.output(2), ...(affine ? [c.input(1)] : [])];
    const [dx, dweight, dbias] = c.emit('norm/group-norm-grad', operands, c.types.attrs, affine ? [0, 1, 2] : [0]);
    return affine ? [dx, dweight, dbias] : [dx];
  },
  cpu({ inputs, outputs, inputTypes, attrs }) {
    const grouping = groupingOf(at(inputTypes, 0).shape, attrs);
    const split = splitForSums(groupRows(grouping));
    const [y, mean, rstd, partial] = [at(outputs, 0), at(outputs, 1), at(outputs, 2), at(outputs, 3)];
    const x = at(inputs, 0);
    moments(x, split, partial);
    for (let g = 0; g < split.channels; g++) {
      const joined = joinMoments(partial, split, g);
      mean[g] = joined.mean;
      rstd[g] = 1 / Math.sqrt(joined.squares / split.plane + Number(attrs.eps ?? 1e-5));
    }
    const affine = { weight: inputs[1], bias: inputs[2] };
    normalize(x, { mean, invstd: rstd, span: grouping.span, ...affine }, grouping.view, y);
  },
  lower(types) {
    const grouping = groupingOf(at(types.inputs, 0).shape, types.attrs);
    const split = splitForSums(groupRows(grouping));
    const y = types.inputs.length;
    const [weight, bias] = y > 1 ? [1, 2] : [];
    return [
      {
        kind: 'dense',
        kernel: split.width === 4 ? 'norm/moments-vec4' : 'norm/moments',
        bindings: [0, y + 3],
        params: splitParams(split),
        workgroups: grid(invocationsOf(split)),
      },
      {
        kind: 'dense',
        kernel: 'norm/moments-combine',
        bindings: [y + 3, y + 1, y + 2],
        params: [...splitParams(split), split.width, { f32: Number(types.attrs.eps ?? 1e-5) }],
        workgroups: grid(split.channels),
      },
      normalizeLaunch(types, { mean: y + 1, invstd: y + 2, span: grouping.span, weight, bias }, y),
    ];
  },
  flops: (types) => 9 * elements(at(types.inputs, 0).shape),
};
