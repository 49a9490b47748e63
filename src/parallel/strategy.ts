/**
 * The seam of the parallel modes. A strategy is a compiler: model, loss, optimiser, mesh and batch in, Program out. It runs
 * nothing. One file a strategy, named as PyTorch names them; `strategies.ts` is the table. Called by session.
 */
import type { OpTable } from '../graph/op';
import type { Program } from '../program/instruction';
import type { Config } from '../protocol/config';
import type { Rank } from '../protocol/trace';
import type { DType, Shape } from '../tensor/shape';

export interface StrategyInput {
  readonly config: Config;
  readonly ops: OpTable;
  /** Shapes of one row. */
  readonly inputShape: Shape;
  readonly targetShape: Shape;
  readonly targetType: DType;
}

export interface Mesh {
  /** ranks[d] is the process that drives device d. */
  readonly ranks: readonly Rank[];
  /** Processes that draw a batch of their own. */
  readonly processes: number;
}

export interface Strategy {
  mesh(config: Config): Mesh;
  /** Layers (indices into the configuration) whose parameters live on each device. */
  layersOfDevice(config: Config): readonly (readonly number[])[];
  /** Rows of a process's batch of `rows` that each device works on, as [start, count] (count 0: none). */
  slices(config: Config, rows: number): readonly (readonly [start: number, count: number])[];
  /** One step with `rows` samples a process. */
  compile(input: StrategyInput, variant: string, rows: number): Program;
  /** What runs once before step 0 (DDP's constructor), if anything. */
  construct?(input: StrategyInput): Program | undefined;
  /** The first step differs from the rest (DDP's one bucket before the rebuild). */
  readonly firstStepDiffers?: boolean;
}
