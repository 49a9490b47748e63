/**
 * Default initialisation of the modules whose parameters all share one bound: `nn.RNN`, `nn.LSTM`, `nn.GRU` (one layer)
 * and `nn.Bilinear`.
 */
import type { Generator } from './generator';
import type { DrawnWeights, WeightAndBias } from './init';

const GATES = { RNN: 1, LSTM: 4, GRU: 3 } as const;

export interface RecurrentParameters {
  /** [gates * hidden, input] */
  readonly weightIh: DrawnWeights;
  /** [gates * hidden, hidden] */
  readonly weightHh: DrawnWeights;
  /** [gates * hidden] */
  readonly biasIh: DrawnWeights;
  readonly biasHh: DrawnWeights;
}

/** All values within +-1 / sqrt(hidden), drawn in the order of the fields. */
export function initRecurrent(
  generator: Generator,
  type: keyof typeof GATES,
  inputSize: number,
  hiddenSize: number,
): RecurrentParameters {
  const rows = GATES[type] * hiddenSize;
  const bound = 1 / Math.sqrt(hiddenSize);
  const draw = (n: number): DrawnWeights => generator.uniform(n, -bound, bound);
  return {
    weightIh: draw(rows * inputSize),
    weightHh: draw(rows * hiddenSize),
    biasIh: draw(rows),
    biasHh: draw(rows),
  };
}

/** `nn.Bilinear(in1, in2, out)`: weight [out, in1, in2] and bias [out] within +-1 / sqrt(in1). */
export function initBilinear(
  generator: Generator,
  in1Features: number,
  in2Features: number,
  outFeatures: number,
): WeightAndBias {
  const bound = 1 / Math.sqrt(in1Features);
  return {
    weight: generator.uniform(outFeatures * in1Features * in2Features, -bound, bound),
    bias: generator.uniform(outFeatures, -bound, bound),
  };
}
