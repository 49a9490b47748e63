/**
 * Rarer draws of torch's CPU generator, as functions over a Generator: Bernoulli, dropout masks, exponential,
 * multinomial, float64 uniforms. They consume the same random words as torch, so streams stay in sync.
 */
import { LockstepError } from '../base/errors';
import type { Generator } from './generator';

const f = Math.fround;

/** `torch.empty(n).bernoulli_(p)`: 53 bits, two words per element. */
export function bernoulli(generator: Generator, n: number, p: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array(n);
  for (let i = 0; i < n; i++) out[i] = generator.uniform53() < p ? 1 : 0;
  return out;
}

/** `torch.bernoulli(probabilities)` for a float32 tensor: 24 bits, one word per element. */
export function bernoulliOf(generator: Generator, probabilities: Float32Array): Float32Array<ArrayBuffer> {
  return Float32Array.from(probabilities, (p) => (generator.uniform24() < p ? 1 : 0));
}

/** The factors by which `F.dropout(x, p, training=True)` multiplies n elements, 0 < p < 1. */
export function dropoutMask(generator: Generator, n: number, p: number): Float32Array<ArrayBuffer> {
  return fillDropoutMask(generator, new Float32Array(n), p);
}

/** The same into an existing array, because a mask is drawn every step. */
export function fillDropoutMask<T extends Float32Array>(generator: Generator, mask: T, p: number): T {
  const keep = 1 - p;
  const kept = f(1 / f(keep));
  for (let i = 0; i < mask.length; i++) mask[i] = generator.uniform53() < keep ? kept : 0;
  return mask;
}

/** `torch.empty(n).exponential_(rate)`. */
export function exponential(generator: Generator, n: number, rate: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: n }, () => (-1 / rate) * Math.log(1 - generator.uniform53()));
}

/** `torch.multinomial(probabilities, 1)`: the category that wins an exponential race. */
export function multinomialOne(generator: Generator, probabilities: Float32Array): number {
  return multinomialWithoutReplacement(generator, probabilities, 1)[0] ?? 0;
}

/**
 * `torch.multinomial(probabilities, n)`: the first n of an exponential race between the categories, in the order of
 * their arrival.
 */
export function multinomialWithoutReplacement(
  generator: Generator,
  probabilities: Float32Array,
  n: number,
): Int32Array<ArrayBuffer> {
  if (n > probabilities.length) {
    throw new LockstepError(
      'config',
      `cannot sample n_sample > prob_dist.size(-1) samples without replacement (${n} of ${probabilities.length})`,
      'Draw fewer, or with replacement.',
    );
  }
  const race = exponential(generator, probabilities.length, 1);
  const scores = probabilities.map((p, i) => p / (race[i] as number));
  return Int32Array.from(scores.keys())
    .sort((a, b) => (scores[b] as number) - (scores[a] as number))
    .slice(0, n);
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
