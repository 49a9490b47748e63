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
  /** i32: token ids. */
  readonly inputType: DType;
  readonly targetShape: Shape;
  readonly targetType: DType;
}

/** Which step of a run a Program is for. */
export interface StepVariant {
  /** The Program's name: 'full', 'last' (the short batch of an epoch), 'first' ... */
  readonly name: string;
  /** add: the gradients join what .grad already holds from earlier micro-batches; set: they replace it, as after zero_grad(). */
  readonly gradients: 'set' | 'add';
  /** false: a micro-batch before the last of its group: nothing is reduced (no_sync) and the optimiser does not step. */
  readonly steps: boolean;
  /** The first one that reduces (DDP's one bucket before the rebuild). */
  readonly first: boolean;
  /** Of a step of the optimiser, where the strategy tells them apart (Strategy.phases); absent: the ordinary one. */
  readonly phase?: string;
}

/** How a strategy tells steps of the optimiser apart by their number, beside the very first. */
export interface StepPhases {
  /** All that may occur; '' is the ordinary one, and among them. */
  readonly names: readonly string[];
  /** Of the step of that number, from 0. */
  at(step: number): string;
}

export const FULL: StepVariant = { name: 'full', gradients: 'set', steps: true, first: false };
export const FIRST: StepVariant = { ...FULL, name: 'first', first: true };

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
  /** Rows of its process's batch that each device works on, as [start, count] (count 0: none). `rows`: how many each process has. */
  slices(config: Config, rows: readonly number[]): readonly (readonly [start: number, count: number])[];
  /** One step in which process p has `rows[p]` samples. */
  compile(input: StrategyInput, variant: StepVariant, rows: readonly number[]): Program;
  /** What runs once before step 0 (DDP's constructor), if anything. */
  construct?(input: StrategyInput): Program | undefined;
  /** The first step differs from the rest (DDP's one bucket before the rebuild). */
  readonly firstStepDiffers?: boolean;
  /** Where steps differ further, as with a communication hook that begins later. */
  phases?(config: Config): StepPhases | undefined;
}
