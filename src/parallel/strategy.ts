/**
 * The seam of the parallel modes. A strategy is a compiler: model, loss, optimiser, mesh and batch in, Program out. It
 * runs nothing. One file a strategy, named as PyTorch names them; `strategies.ts` is the table. Called by session.
 */
import type { OpTable } from '../graph/op';
import type { BufferSpec, Program } from '../program/instruction';
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
  /**
   * add: the gradients join what .grad already holds from earlier micro-batches; set: they replace it, as after
   * zero_grad().
   */
  readonly gradients: 'set' | 'add';
  /** false: a micro-batch before the last of its group: the optimiser does not step. */
  readonly steps: boolean;
  /** DDP: the forward pass stands outside no_sync, so that what .grad holds after backward is reduced. */
  readonly reduces: boolean;
  /** DDP: the forward pass before was such a one, so that buffers are broadcast. */
  readonly syncsBuffers: boolean;
  /** DDP: it reduces in the buckets that the constructor built, which are rebuilt later. */
  readonly first: boolean;
  /** DDP: the step after which all ranks have run out of batches and leave join(). */
  readonly endsJoin: boolean;
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

export const FULL: StepVariant = {
  name: 'full',
  gradients: 'set',
  steps: true,
  reduces: true,
  syncsBuffers: true,
  first: false,
  endsJoin: false,
};
export const FIRST: StepVariant = { ...FULL, name: 'first', first: true };

export interface Mesh {
  /** ranks[d] is the process that drives device d. */
  readonly ranks: readonly Rank[];
  /** Processes that draw a batch of their own. */
  readonly processes: number;
}

export interface Passes {
  /** Those that reduce in the constructor's buckets, where a rebuild comes at all. */
  readonly initial: number;
  /** Every micro-batch is reduced, not the last of a group alone. */
  readonly every: boolean;
}

export interface Strategy {
  mesh(config: Config): Mesh;
  /** Layers (indices into the configuration) whose parameters live on each device. */
  layersOfDevice(config: Config): readonly (readonly number[])[];
  /** Shape of one row of what crosses each border between neighbours; absent: nothing does. */
  borderShapes?(input: StrategyInput): readonly Shape[];
  /**
   * Rows of its process's batch that each device works on, as [start, count] (count 0: none). `rows`: how many each
   * process has.
   */
  slices(config: Config, rows: readonly number[]): readonly (readonly [start: number, count: number])[];
  /** One step in which process p has `rows[p]` samples; 0: it has run out. */
  compile(input: StrategyInput, variant: StepVariant, rows: readonly number[]): Program;
  /** What runs once before step 0 (DDP's constructor), if anything. */
  construct?(input: StrategyInput): Program | undefined;
  /** Gives the buffers that process 0 holds to all others: what a run runs that resumes by rank 0. */
  broadcastState?(input: StrategyInput, buffers: readonly BufferSpec[]): Program | undefined;
  /**
   * How passes that reduce follow each other; absent: the mode knows none, and steps differ in their micro-batches
   * alone.
   */
  passes?(config: Config): Passes;
  /**
   * What `load` instructions of source 'noise' ask for in a step of the optimiser (from 0), the same on every device; a
   * function of the step alone.
   */
  draws?(input: StrategyInput): (step: number) => readonly { readonly buffer: string; readonly data: Float32Array }[];
  /** Steps of the optimiser in a step of the run, where it is not one (asynchronous workers). */
  updates?(config: Config): number;
  /** Where steps differ further, as with a communication hook that begins later. */
  phases?(config: Config): StepPhases | undefined;
}
