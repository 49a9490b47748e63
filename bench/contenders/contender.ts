/**
 * What the bench asks of every library: to multiply or to train from given weights, some times over, and to show
 * numbers that can be compared.
 */
import type { ProductWork, TrainingWork } from '../workloads/workload';

export interface Runner {
  /**
   * Training: the losses of the first steps. Products: some elements. Called once, before `run`; they must agree with
   * the reference.
   */
  check(): Promise<number[]>;
  /** Multiplies or trains `count` times; resolves when all of it has been computed. */
  run(count: number): Promise<void>;
  dispose(): void | Promise<void>;
}

export interface Contender {
  /** What `--contenders` names, as far as it goes: 'jax' means both. */
  readonly id: string;
  readonly title: string;
  readonly library: 'lockstep' | 'tensorflow' | 'jax';
  readonly backend: 'webgpu' | 'wasm' | 'cpu';
  /** Such a contender runs only what asks for it. */
  readonly mode?: 'ddp' | 'sharded' | 'tensor' | 'cpu-fma';
  /** Multiplies matrices too. */
  product?(work: ProductWork): Promise<Runner>;
  training(work: TrainingWork): Promise<Runner>;
}

/** `check` of a trainer whose `step(count)` gives the last loss. */
export async function firstLosses(step: (count: number) => Promise<number>, count: number): Promise<number[]> {
  const losses: number[] = [];
  while (losses.length < count) losses.push(await step(1));
  return losses;
}
