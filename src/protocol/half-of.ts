/** The half-precision types of a run, in torch's own short names; undefined: float32. */
import type { Config } from './config';
import { type MeshSettings, shardsParameters } from './mesh-sizes';

type Half = 'bf16' | 'f16';

type PrecisionSettings = Pick<Config, 'precision' | 'sharded'> & MeshSettings;

const HALVES: Readonly<Record<Config['sharded']['paramDtype'], Half | undefined>> = {
  float32: undefined,
  bfloat16: 'bf16',
  float16: 'f16',
};

/** What layers compute in: by torch.autocast, model.to(), or the MixedPrecisionPolicy of fully_shard. */
export const halfOf = (config: PrecisionSettings): Half | undefined =>
  autocastHalf(config.precision) ?? modelHalf(config.precision) ?? paramHalf(config);

/** What the whole model is in, by model.to(). */
export function modelHalf(precision: Config['precision']): Half | undefined {
  if (precision === 'bf16-master' || precision === 'bf16') return 'bf16';
  return precision === 'fp16-master' ? 'f16' : undefined;
}

/** The precision with which autocast computes in that type. */
export const autocastIn = (half: Half): Config['precision'] => (half === 'bf16' ? 'autocast-bf16' : 'autocast-fp16');

export function autocastHalf(precision: Config['precision']): Half | undefined {
  if (precision === 'autocast-bf16') return 'bf16';
  return precision === 'autocast-fp16' ? 'f16' : undefined;
}

/** What fully_shard gathers parameters in, and the layers then compute in: MixedPrecisionPolicy's param_dtype. */
export const paramHalf = (config: Pick<PrecisionSettings, 'sharded'> & MeshSettings): Half | undefined =>
  shardsParameters(config) ? HALVES[config.sharded.paramDtype] : undefined;

/** What fully_shard reduces gradients in: MixedPrecisionPolicy's reduce_dtype. */
export function reduceHalf(config: Pick<PrecisionSettings, 'sharded'> & MeshSettings): Half | undefined {
  const { reduceDtype } = config.sharded;
  if (reduceDtype === 'param') return paramHalf(config);
  return shardsParameters(config) ? HALVES[reduceDtype] : undefined;
}
