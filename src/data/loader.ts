/**
 * `torch.utils.data.DataLoader` with `num_workers=0`, reduced to the choice of each batch's rows and to its random
 * draws: per epoch a base seed (two words), then the sampler's draws. It copies no data; `gather-rows.ts` does.
 */
import type { Generator } from '../tensor/generator';
import type { Sampler } from './samplers';

export interface DataLoaderOptions {
  readonly sampler: Sampler;
  readonly batchSize: number;
  readonly dropLast?: boolean;
  /** The default generator of the process. */
  readonly defaultGenerator: Generator;
  /** `generator=` of the DataLoader: the base seed comes from it. Give it to the RandomSampler too. */
  readonly generator?: Generator;
}

/** `_base_seed`: drawn when an epoch starts, even without shuffling. */
export const drawBaseSeed = (generator: Generator): void => void generator.randomInt64();

export class DataLoader {
  /** The number of batches per epoch. */
  readonly length: number;

  constructor(readonly options: DataLoaderOptions) {
    const batches = options.sampler.length / options.batchSize;
    this.length = options.dropLast === true ? Math.floor(batches) : Math.ceil(batches);
  }

  /** Starts an epoch: draws, and returns the positions of each batch in order. */
  epoch(): Int32Array<ArrayBuffer>[] {
    const { sampler, batchSize, defaultGenerator, generator = defaultGenerator } = this.options;
    drawBaseSeed(generator);
    const order = sampler.indices(defaultGenerator);
    return Array.from({ length: this.length }, (_, i) => order.subarray(i * batchSize, (i + 1) * batchSize));
  }
}
