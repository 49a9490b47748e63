/**
 * The interface of a library in the benchmark: it multiplies, or trains from given weights, a given number of times,
 * and returns numbers that can be compared.
 */
import type { ProductWork, TrainingWork } from '../workloads/workload';

export interface Runner {
  /**
   * Training: the losses of the first steps. Products: some elements. Called once, before `run`; the numbers must agree
   * with the reference.
   */
  check(): Promise<number[]>;
  /** Multiplies or trains `count` times; resolves when everything has been computed. */
  run(count: number): Promise<void>;
  dispose(): void | Promise<void>;
}

export interface Contender {
  /** The name that `--contenders` selects by its beginning: 'jax' selects both contenders of jax-js. */
  readonly id: string;
  readonly title: string;
  readonly library: 'lockstep' | 'tensorflow' | 'jax';
  readonly backend: 'webgpu' | 'wasm' | 'cpu';
  /** Such a contender runs only the workloads that name it. */
  readonly mode?: 'ddp' | 'sharded' | 'tensor' | 'cpu-fma' | 'cpu-threads';
  /** Also multiplies matrices. */
  product?(work: ProductWork): Promise<Runner>;
  training(work: TrainingWork): Promise<Runner>;
}

/** `check` of a trainer whose `step(count)` gives the last loss. */
export async function firstLosses(step: (count: number) => Promise<number>, count: number): Promise<number[]> {
  const losses: number[] = [];
  while (losses.length < count) losses.push(await step(1));
  return losses;
}
