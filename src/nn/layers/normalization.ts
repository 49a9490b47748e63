/** torch.nn.BatchNorm1d/2d, LayerNorm, GroupNorm. No draws: weights start at one, biases at zero. */
import type { ValueId } from '../../graph/op';
import { ALL_GATHER } from '../../graph/ops/collective';
import type { LayerConfig, LayerOf } from '../../protocol/config';
import { elements } from '../../tensor/shape';
import type { LayerContext, LayerDef, Synced } from '../layer';

const onesAndZeros = (enabled: boolean, size: number) =>
  enabled ? [new Float32Array(size).fill(1), new Float32Array(size)] : [];

/**
 * In training it uses the batch's statistics and updates the running ones (statistics and normalisation are two
 * operators, so that SyncBatchNorm can gather the statistics of all ranks in between); in evaluation it uses the
 * running ones.
 */
const batchNorm: LayerDef<Extract<LayerConfig, { type: 'BatchNorm1d' | 'BatchNorm2d' }>> = {
  buffers: ({ features }) => [
    { name: 'running_mean', shape: [features], dtype: 'f32', fill: 0 },
    { name: 'running_var', shape: [features], dtype: 'f32', fill: 1 },
    { name: 'num_batches_tracked', shape: [1], dtype: 'i32', fill: 0 },
  ],
  init: ({ features, affine: enabled }) => onesAndZeros(enabled, features),
  forward(c, { eps, momentum, affine: enabled }, x) {
    const running = [c.buffer('running_mean'), c.buffer('running_var')];
    const scale = enabled ? [c.parameter('weight'), c.parameter('bias')] : [];
    if (!c.training) return c.apply('norm/batch-norm-eval', [x, ...running, ...scale], { eps })[0];
    const kept = [...running, c.buffer('num_batches_tracked')];
    if (c.synced) return synced(c, c.synced, { eps, momentum }, { x, kept, scale });
    const [mean, invstd = mean] = c.apply(
      'norm/batch-norm-stats',
      [x, ...kept],
      { eps, momentum },
      { names: ['mean', 'invstd'], into: [undefined, undefined, ...kept] },
    );
    return c.apply('norm/batch-norm', [x, mean, invstd, ...scale])[0];
  },
};
/** torch.nn.SyncBatchNorm: the statistics of all ranks' batches, which may differ in size. */
function synced(
  c: LayerContext,
  { ranks, rows }: Synced,
  attrs: { readonly eps: number; readonly momentum: number },
  { x, kept, scale }: { readonly x: ValueId; readonly kept: readonly ValueId[]; readonly scale: readonly ValueId[] },
): ValueId {
  const { shape } = c.typeOf(x);
  const [own = 1, channels = 1] = shape;
  const count = (elements(shape) / (own * channels)) * rows;
  const [local] = c.apply('norm/sync-batch-norm-stats', [x], { eps: attrs.eps }, { names: ['stats'] });
  const [gathered] = c.apply(ALL_GATHER, [local], { ranks }, { names: ['all_stats'] });
  const [mean, invstd = mean] = c.apply('norm/sync-batch-norm-gather', [gathered, ...kept], attrs, {
    names: ['mean', 'invstd'],
    into: [undefined, undefined, ...kept],
  });
  return c.apply('norm/batch-norm', [x, mean, invstd, ...scale], { count, synced: true })[0];
}

export const batchNorm1d: LayerDef<LayerOf<'BatchNorm1d'>> = batchNorm;
export const batchNorm2d: LayerDef<LayerOf<'BatchNorm2d'>> = batchNorm;

export const layerNorm: LayerDef<LayerOf<'LayerNorm'>> = {
  init: ({ features, affine: enabled, bias }) => onesAndZeros(enabled, features).slice(0, bias ? 2 : 1),
  forward(c, { features, eps, affine: enabled, bias }, x) {
    const attrs = { normalizedShape: [features], eps };
    const normalize = (scale: readonly ValueId[], out: string) =>
      c.apply('norm/layer-norm', [x, ...scale], attrs, { names: [out, 'mean', 'rstd'] })[0];
    if (!enabled) return normalize([], 'out');
    if (bias) return normalize([c.parameter('weight'), c.parameter('bias')], 'out');
    // The kernel takes both weight and bias, or neither.
    return c.apply('ops/mul', [normalize([], 'normalized'), c.parameter('weight')])[0];
  },
};

export const groupNorm: LayerDef<LayerOf<'GroupNorm'>> = {
  init: ({ channels, affine: enabled }) => onesAndZeros(enabled, channels),
  forward(c, { groups, eps, affine: enabled }, x) {
    const scale = enabled ? [c.parameter('weight'), c.parameter('bias')] : [];
    return c.apply('norm/group-norm', [x, ...scale], { groups, eps }, { names: ['out', 'mean', 'rstd'] })[0];
  },
};
