/**
 * The seam of the parallel modes. A mode is a folder here, and its `mode.ts` exports one ParallelMode: a compiler
 * (model, loss, optimiser, mesh and batch in, Program out; it runs nothing) and whatever else the rest of the code has
 * to know about the mode. Nobody outside `parallel/` compares a mode's name: they ask this object. `modes.ts` is the
 * table.
 */
import type { OpTable } from '../graph/op';
import type { BufferSpec, Program } from '../program/instruction';
import type { Config, Mode } from '../protocol/config';
import type { HookPhase, TrainingKind } from '../protocol/step-kind';
import type { Rank } from '../protocol/trace';
import type { ShardMap, TensorSpec } from '../sharding/shard-map';
import type { DType, Shape } from '../tensor/shape';

export interface ModeInput {
  readonly config: Config;
  readonly ops: OpTable;
  /** Shapes of one row. */
  readonly inputShape: Shape;
  /** i32: token ids. */
  readonly inputType: DType;
  readonly targetShape: Shape;
  readonly targetType: DType;
}

/** How a mode tells steps of the optimiser apart by their number, beside the very first. */
export interface StepPhases {
  /** All that may occur; 'usual' is among them. */
  readonly names: readonly HookPhase[];
  /** Of the step of that number, from 0. */
  at(step: number): HookPhase;
}

export interface Mesh {
  /** ranks[d] is the process that drives device d. */
  readonly ranks: readonly Rank[];
  /** Processes that draw a batch of their own. */
  readonly processes: number;
}

/** How gradients of several backward passes come together where processes reduce them (DDP's no_sync). */
export interface AccumulationPolicy {
  /** Reducing passes that still use the constructor's buckets; 0: the buckets are never rebuilt. */
  readonly passesBeforeRebuild: number;
  /** Every micro-batch is reduced, not only the last of a group. */
  readonly reducesEveryPass: boolean;
}

/** A random tensor that every device needs in a step. */
export interface Noise {
  readonly buffer: string;
  readonly data: Float32Array;
}

/** Rows of its process's batch that a device works on; count 0: none. */
export type RowSlice = readonly [start: number, count: number];

export interface ParallelMode {
  /** As the setting `mode` has it. */
  readonly name: Mode;
  mesh(config: Config): Mesh;
  /** Layers (indices into the configuration) whose parameters live on each device. */
  layersOfDevice(config: Config): readonly (readonly number[])[];
  /** Which device holds which piece of each parameter and buffer of the model and its loss. */
  shards(config: Config, tensors: readonly TensorSpec[]): ShardMap;
  /** Shape of one row of what crosses each border between neighbours; absent: nothing does. */
  borderShapes?(input: ModeInput): readonly Shape[];
  /** The rows that each device works on. `rows`: how many each process has. */
  rowsOfDevice(config: Config, rows: readonly number[]): readonly RowSlice[];
  /** What the processes do in these micro-batches; one without rows has run out of batches. */
  compile(input: ModeInput, kind: TrainingKind): Program;
  /** What runs once before step 0 (DDP's constructor), if anything. */
  construct?(input: ModeInput): Program | undefined;
  /** Gives the buffers that process 0 holds to all others: what a run runs that resumes by rank 0. */
  broadcastState?(input: ModeInput, buffers: readonly BufferSpec[]): Program | undefined;
  /** Absent: nothing is reduced by passes, and steps differ only in their micro-batches. */
  accumulationPolicy?(config: Config): AccumulationPolicy;
  /**
   * What `load` instructions of source 'noise' ask for in a step of the optimiser (from 0), the same on every device; a
   * function of the step alone.
   */
  noiseForStep?(input: ModeInput): (step: number) => readonly Noise[];
  /** Where it is not 1: how often the optimiser steps in a step of the run (asynchronous workers). */
  optimizerStepsPerStep?(config: Config): number;
  /** Where steps differ further by their number, as with a communication hook that begins later. */
  stepPhases?(config: Config): StepPhases | undefined;
}
