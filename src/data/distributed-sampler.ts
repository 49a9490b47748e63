/**
 * `torch.utils.data.distributed.DistributedSampler`: distributes the rows of a dataset over the processes of a group,
 * equally many to each. The order depends only on seed + epoch, so every process computes the same order without
 * communication; without `setEpoch` every epoch has the same order.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { Generator } from '../tensor/generator';
import type { Sampler } from './samplers';

export interface DistributedSamplerOptions {
  readonly rows: number;
  /** num_replicas. */
  readonly worldSize: number;
  readonly rank: number;
  readonly shuffle?: boolean;
  readonly seed?: number;
  /** Drop the tail that does not divide evenly, instead of repeating rows from the start. */
  readonly dropLast?: boolean;
}

export class DistributedSampler implements Sampler {
  /** num_samples: rows a process visits in an epoch. */
  readonly length: number;
  /** total_size: rows all processes visit together. */
  readonly totalSize: number;
  #epoch = 0;

  constructor(readonly options: DistributedSamplerOptions) {
    const { rows, worldSize, rank, dropLast = false } = options;
    if (rank >= worldSize || rank < 0) {
      throw new LockstepError('config', `Invalid rank ${rank}, rank should be in the interval [0, ${worldSize - 1}]`);
    }
    const uneven = rows % worldSize !== 0;
    this.length =
      dropLast && uneven ? Math.max(0, Math.ceil((rows - worldSize) / worldSize)) : Math.ceil(rows / worldSize);
    this.totalSize = this.length * worldSize;
  }

  /** Must be called before each epoch; otherwise all epochs have the order of epoch 0. */
  setEpoch(epoch: number): void {
    this.#epoch = epoch;
  }

  indices(): Int32Array<ArrayBuffer> {
    const { rows, worldSize, rank, shuffle = true, seed = 0 } = this.options;
    const order = shuffle ? new Generator(seed + this.#epoch).randperm(rows) : undefined;
    // Beyond its end the list starts over, which is the padding; with dropLast the total is not beyond the end.
    return Int32Array.from({ length: this.length }, (_, i) => {
      const position = (rank + i * worldSize) % rows;
      return order === undefined ? position : at(order, position);
    });
  }
}
