/**
 * y = (x - mean) invstd weight + bias per channel: second half of torch.nn.functional.batch_norm(training=True). Inputs
 * x [N, C, ...], mean and invstd [C] of norm/batch-norm-stats, weight and bias [C] (both or none). The gradient of x is
 * complete: mean and invstd count as functions of x and get no gradients themselves. As in torch's SyncBatchNorm, it
 * computes sums per channel, then dx. Attr `count` is the number of values behind a channel's statistics and sums if
 * they include other ranks' values. With attr `synced` the sums are over all ranks: an all-reduce runs between the two
 * halves of the gradient. Attribute `activation: 'relu'` applies relu to y; only the pass fuse-norm-relu sets it, after
 * differentiation.
 */
import { at } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import { grid } from '../../launch';
import type { CpuArgs, DenseLaunch, GradientContext, OpDef, OpTypes, ValueId } from '../../op';
import { ALL_REDUCE } from '../collective';
import { type ChannelView, expectPerChannel, invocationsOf, splitForMap, splitParams, viewOf } from './channels';

export const batchNorm: OpDef = {
  name: 'norm/batch-norm',
  infer(inputs) {
    const x = at(inputs, 0);
    expectPerChannel(inputs.slice(1), ['mean', 'invstd', 'weight', 'bias'], viewOf(x.shape).channels);
    return [x];
  },
  gradient(c) {
    const dy = c.outputGrad(0);
    if (dy === undefined) return [];
    const affine = c.types.inputs.length > 3;
    const statistics = [c.input(1), c.input(2)];
    const [dweight, dbias, ...own] = c
      .emit('norm/batch-norm-grad-reduce', [dy, c.input(0), ...statistics], {}, affine ? [3, 4, 1, 2] : [], [1, 2])
      .slice(0, 4);
    const sums = c.types.attrs.synced === true && c.needsGrad(0) ? summedOverRanks(c, own) : own;
    const operands = [dy, c.input(0), ...statistics, ...sums, ...(affine ? [c.input(3)] : [])];
    const { count } = c.types.attrs;
    const dx = c.needsGrad(0)
      ? c.emit('norm/batch-norm-grad-input', operands, count === undefined ? {} : { count }, [0])[0]
      : undefined;
    return affine ? [dx, undefined, undefined, dweight, dbias] : [dx];
  },
  cpu({ inputs, outputs, inputTypes, attrs }: CpuArgs) {
    const [x, mean, invstd] = [at(inputs, 0), at(inputs, 1), at(inputs, 2)];
    const view = viewOf(at(inputTypes, 0).shape);
    const y = at(outputs, 0);
    normalize(x, { mean, invstd, span: 0, weight: inputs[3], bias: inputs[4] }, view, y);
    if (attrs.activation === 'relu') for (let i = 0; i < y.length; i++) if ((y[i] as number) <= 0) y[i] = 0;
  },
  lower(types) {
    const [weight, bias] = types.inputs.length > 3 ? [3, 4] : [];
    return [normalizeLaunch(types, { mean: 1, invstd: 2, span: 0, weight, bias }, types.inputs.length)];
  },
  flops: (types) => 4 * elements(at(types.inputs, 0).shape),
};

/** torch.cat of the sums, one all-reduce, torch.split. */
function summedOverRanks(c: GradientContext, sums: readonly ValueId[]): readonly ValueId[] {
  const channels = elements(at(c.types.inputs, 1).shape);
  const together = c.emit('shape/cat', sums, { dim: 0 }, []);
  const summed = c.emit(ALL_REDUCE, together, {}, []);
  return sums.map((_, k) => {
    const attrs = { dim: 0, start: k * channels, end: (k + 1) * channels };
    return at(c.emit('shape/slice', summed, attrs, []), 0);
  });
}

/** The operands of the formula; `span` 0: one mean per channel; else one for every `span` (batch, channel) pairs. */
interface Normalization<T> {
  readonly mean: T;
  readonly invstd: T;
  readonly span: number;
  readonly weight: T | undefined;
  readonly bias: T | undefined;
}

export function normalize(
  x: HostArray,
  { mean, invstd, span, weight, bias }: Normalization<HostArray>,
  { batch, channels, plane }: ChannelView,
  y: HostArray,
): void {
  for (let pair = 0; pair < batch * channels; pair++) {
    const c = pair % channels;
    const s = span > 0 ? Math.floor(pair / span) : c;
    const center = mean[s] as number;
    const scale = (invstd[s] as number) * (weight ? (weight[c] as number) : 1);
    const shift = bias ? (bias[c] as number) : 0;
    const end = (pair + 1) * plane;
    for (let i = pair * plane; i < end; i++) y[i] = ((x[i] as number) - center) * scale + shift;
  }
}

/** The launch of kernel norm/batch-norm; x is operand 0. */
export function normalizeLaunch(
  types: OpTypes,
  { mean, invstd, span, weight, bias }: Normalization<number>,
  y: number,
): DenseLaunch {
  const split = splitForMap(viewOf(at(types.inputs, 0).shape));
  return {
    kind: 'dense',
    kernel: split.width === 4 ? 'norm/batch-norm-vec4' : 'norm/batch-norm',
    constants: { AFFINE: weight === undefined ? 0 : 1, RELU: types.attrs.activation === 'relu' ? 1 : 0 },
    // Without weight and bias, their bindings get x, which the kernel then does not read through them.
    bindings: [0, mean, invstd, weight ?? 0, bias ?? 0, y],
    params: [...splitParams(split), span],
    workgroups: grid(invocationsOf(split)),
  };
}
