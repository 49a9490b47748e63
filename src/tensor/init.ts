/**
 * Default initialisation of modules, as `torch.nn` draws it: bounds in double precision, values by `uniform_`. The order of the draws
 * (weight, then bias; modules in construction order) is what makes a seed give PyTorch's parameters.
 */
import type { Generator } from './generator';

export interface LinearParameters {
  /** [out, in], row-major. */
  readonly weight: Float32Array<ArrayBuffer>;
  /** [out]; undefined for `bias=False`. */
  readonly bias: Float32Array<ArrayBuffer> | undefined;
}

/** `nn.Linear(in, out, bias)`: kaiming_uniform_(a = sqrt(5)) for the weight, +-1 / sqrt(fan_in) for the bias. */
export function initLinear(
  generator: Generator,
  inFeatures: number,
  outFeatures: number,
  bias: boolean,
): LinearParameters {
  // Written out as torch computes it: it is not always the same double as 1 / sqrt(fan_in).
  const gain = Math.sqrt(2 / (1 + Math.sqrt(5) ** 2));
  const weightBound = Math.sqrt(3) * (gain / Math.sqrt(inFeatures));
  const weight = generator.uniform(outFeatures * inFeatures, -weightBound, weightBound);
  if (!bias) return { weight, bias: undefined };
  const biasBound = 1 / Math.sqrt(inFeatures);
  return { weight, bias: generator.uniform(outFeatures, -biasBound, biasBound) };
}
