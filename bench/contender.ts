/** What the bench asks of every library: train a workload from given weights, some steps at a time. */
import type { Workload } from './workload';

export interface Trainer {
  /** Trains `count` steps and resolves, when all of them have been computed, to the loss of the last one. */
  step(count: number): Promise<number>;
  dispose(): void;
}

/** Weights as PyTorch lays them out: [out, in] and [out] for each Linear in turn. */
export type Weights = readonly Float32Array[];

export type CreateTrainer = (work: Workload, weights: Weights) => Promise<Trainer>;
