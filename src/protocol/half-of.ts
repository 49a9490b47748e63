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

/** The type in which layers compute, by torch.autocast, model.to(), or fully_shard's MixedPrecisionPolicy. */
export const halfOf = (config: PrecisionSettings): Half | undefined =>
  autocastHalf(config.precision) ?? modelHalf(config.precision) ?? policyHalf(config);

/** The type of the whole model, by model.to(). */
export function modelHalf(precision: Config['precision']): Half | undefined {
  if (precision === 'bf16-master' || precision === 'bf16') return 'bf16';
  return precision === 'fp16-master' ? 'f16' : undefined;
}

/** The setting `precision` with which autocast computes in that type. */
export const autocastIn = (half: Half): Config['precision'] => (half === 'bf16' ? 'autocast-bf16' : 'autocast-fp16');

export function autocastHalf(precision: Config['precision']): Half | undefined {
  if (precision === 'autocast-bf16') return 'bf16';
  return precision === 'autocast-fp16' ? 'f16' : undefined;
}

/** MixedPrecisionPolicy's param_dtype: the type to which fully_shard casts float32 shards before it gathers them. */
export const policyHalf = (config: Pick<PrecisionSettings, 'sharded'> & MeshSettings): Half | undefined =>
  shardsParameters(config) ? HALVES[config.sharded.paramDtype] : undefined;

/** The type in which fully_shard gathers parameters: the policy's, or the type of the shards. */
export const paramHalf = (config: PrecisionSettings): Half | undefined =>
  policyHalf(config) ?? (shardsParameters(config) ? modelHalf(config.precision) : undefined);

/** MixedPrecisionPolicy's reduce_dtype: the type in which fully_shard reduces gradients. */
export function reduceHalf(config: PrecisionSettings): Half | undefined {
  const { reduceDtype } = config.sharded;
  if (reduceDtype === 'param') return paramHalf(config);
  return shardsParameters(config) ? HALVES[reduceDtype] : undefined;
}
