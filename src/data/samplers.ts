/**
 * The samplers of `torch.utils.data`: in which order an epoch visits the rows of a dataset. A sampler gives positions 0
 * .. n-1; `DistributedSampler` is in its own file. The draws, and their generators, are the same as torch's.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { Generator } from '../tensor/generator';

export interface Sampler {
  /** The number of positions per epoch. */
  readonly length: number;
  /** The order of the next epoch. Seeds are drawn from `generator`, the default generator of the process. */
  indices(generator: Generator): Int32Array<ArrayBuffer>;
}

export class SequentialSampler implements Sampler {
  constructor(readonly length: number) {}

  indices(): Int32Array<ArrayBuffer> {
    return Int32Array.from({ length: this.length }, (_, i) => i);
  }
}

export interface RandomSamplerOptions {
  readonly replacement?: boolean;
  /** Default: the size of the dataset. */
  readonly numSamples?: number;
  /** Draw from this generator instead of a fresh one seeded from the default generator. */
  readonly generator?: Generator;
}

export class RandomSampler implements Sampler {
  readonly length: number;

  constructor(
    readonly rows: number,
    readonly options: RandomSamplerOptions = {},
  ) {
    this.length = options.numSamples ?? rows;
    if (!Number.isInteger(this.length) || this.length < 1 || rows < 1) {
      throw new LockstepError(
        'data',
        `num_samples should be a positive integer value, but got num_samples=${this.length}`,
        'The dataset must have rows.',
      );
    }
  }

  indices(generator: Generator): Int32Array<ArrayBuffer> {
    const { rows, length } = this;
    const source = this.options.generator ?? new Generator(generator.randomInt64());
    if (this.options.replacement === true) return Int32Array.from(source.randint(0, rows, length));
    const order = new Int32Array(length);
    // torch permutes once more for the remainder, even if it is empty; the state of a given generator shows this.
    for (let start = 0; start + rows <= length; start += rows) order.set(source.randperm(rows), start);
    order.set(source.randperm(rows).subarray(0, length % rows), length - (length % rows));
    return order;
  }
}

/**
 * `SubsetRandomSampler(indices)`: a permutation of these positions each epoch, from the default or a given generator.
 */
export class SubsetRandomSampler implements Sampler {
  readonly length: number;

  constructor(
    readonly subset: readonly number[] | Int32Array,
    readonly generator?: Generator,
  ) {
    this.length = subset.length;
  }

  indices(generator: Generator): Int32Array<ArrayBuffer> {
    return (this.generator ?? generator).randperm(this.length).map((position) => at(this.subset, position));
  }
}

/** `torch.utils.data.random_split`: one permutation, cut in order. */
export function randomSplit(generator: Generator, lengths: readonly number[]): Int32Array<ArrayBuffer>[] {
  const order = generator.randperm(lengths.reduce((sum, length) => sum + length, 0));
  let start = 0;
  return lengths.map((length) => {
    const part = order.slice(start, start + length);
    start += length;
    return part;
  });
}
