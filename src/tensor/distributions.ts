/**
 * Rarer draws of torch's CPU generator, as functions over a Generator: Bernoulli, dropout masks, exponential, multinomial, float64 uniforms. They
 * consume the same words as torch does, so a stream stays in step.
 */
import type { Generator } from './generator';

const f = Math.fround;

/** `torch.empty(n).bernoulli_(p)`: 53 bits, two words an element. */
export function bernoulli(generator: Generator, n: number, p: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: n }, () => (generator.uniform53() < p ? 1 : 0));
}

/** `torch.bernoulli(probabilities)` for a float32 tensor: 24 bits, one word an element. */
export function bernoulliOf(generator: Generator, probabilities: Float32Array): Float32Array<ArrayBuffer> {
  return Float32Array.from(probabilities, (p) => (generator.uniform24() < p ? 1 : 0));
}

/** What `F.dropout(x, p, training=True)` multiplies n elements with, 0 < p < 1. */
export function dropoutMask(generator: Generator, n: number, p: number): Float32Array<ArrayBuffer> {
  const keep = 1 - p;
  return bernoulli(generator, n, keep).map((kept) => kept / f(keep));
}

/** `torch.empty(n).exponential_(rate)`. */
export function exponential(generator: Generator, n: number, rate: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: n }, () => (-1 / rate) * Math.log(1 - generator.uniform53()));
}

/** `torch.multinomial(probabilities, 1)`: the category that wins an exponential race. */
export function multinomialOne(generator: Generator, probabilities: Float32Array): number {
  const race = exponential(generator, probabilities.length, 1);
  let best = 0;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const [i, p] of probabilities.entries()) {
    const score = f(p / (race[i] ?? 0));
    if (score > bestScore) [best, bestScore] = [i, score];
  }
  return best;
}

/** `torch.multinomial(probabilities, n, replacement=True)`: by the cumulative distribution. */
export function multinomialWithReplacement(
  generator: Generator,
  probabilities: Float32Array,
  n: number,
): Int32Array<ArrayBuffer> {
  let sum = 0;
  const running = probabilities.map((p) => {
    sum = f(sum + p);
    return sum;
  });
  const cumulative = running.map((c) => c / sum);
  cumulative[cumulative.length - 1] = 1;
  return Int32Array.from({ length: n }, () => {
    const u = generator.uniform53();
    return cumulative.findIndex((c) => c >= u);
  });
}

/** `torch.rand(n, dtype=torch.float64)`. */
export function randDouble(generator: Generator, n: number): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: n }, () => generator.uniform53());
}
