/**
 * The seam of the parallel modes. A mode is a folder here, and its `mode.ts` exports one ParallelMode: a compiler
 * (model, loss, optimiser, mesh and batch in, Program out; it runs nothing) and whatever else the rest of the code has
 * to know about the mode. Nobody outside `parallel/` compares a mode's name: they ask this object. `modes.ts` is the
 * table.
 */

import type { LockstepError } from '../base/errors';
import type { Part } from '../base/part';
import type { BatchSchedule } from '../data/batch-schedule';
import type { OpFamily } from '../graph/op-table';
import type { Dialect } from '../interop/pytorch/dialect';
import type { DeviceMesh } from '../mesh/device-mesh';
import type { BufferSpec, Program } from '../program/instruction';
import type { ClosedForm } from '../protocol/closed-form';
import type { AlgorithmName } from '../protocol/collective';
import type { Config, ConfigInput } from '../protocol/config';
import type { Notice } from '../protocol/notice';
import type { PipelineReport } from '../protocol/report';
import type { BucketsInfo, PlanInfo, ShardingInfo } from '../protocol/session-info';
import type { HookPhase, TrainingKind } from '../protocol/step-kind';
import type { CodeLine, Rank } from '../protocol/trace';
import type { ShardMap, TensorSpec } from '../sharding/shard-map';
import type { FormPass, RunSizes } from './closed-form';
import type { Face } from './face';
import type { ModeInput } from './mode-input';
import type { StageGraph, StageOutput } from './stage-graph';

export type { ModeInput } from './mode-input';

/** How a mode tells steps of the optimiser apart by their number, beside the very first. */
export interface StepPhases {
  /** All that may occur; 'usual' is among them. */
  readonly names: readonly HookPhase[];
  /** Of the step of that number, from 0. */
  at(step: number): HookPhase;
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

/** What a mode may look at to say something before a run starts. */
export interface NoticeInput {
  /** As it was asked for, before `settle`. */
  readonly given: Config;
  readonly config: Config;
  readonly schedule: BatchSchedule;
  readonly input: ModeInput;
  /** The graph of a whole model on one device. */
  readonly stage: StageGraph;
  /** Of each process in a full batch. */
  readonly rows: readonly number[];
}

/** What is compared of parameters before a run starts. */
export interface ParameterShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Where a training script ends though there are steps left. */
export interface ModeStop {
  /** The first one that cannot run. */
  readonly microBatch: number;
  readonly error: LockstepError;
}

/** How a run would fit into the memory of its devices. */
export interface MemoryAdvice {
  /** A sentence or two. */
  readonly text: string;
  /** Settings of a run that fits, which the page offers; absent: the text alone says it. */
  readonly instead?: Pick<ConfigInput, 'mode' | 'worldSize' | 'sharded'>;
}

/** What the processes of a run are to each other. */
export interface ModeProcessGroup {
  /** Of the gradients' all-reduce; absent where there is none. */
  readonly algorithm?: AlgorithmName;
}

export interface ParallelMode {
  /** What the page says about it, and its name. */
  readonly face: Face;
  /** What is fetched before a blueprint is made: the other members may need it, except mesh and check. */
  readonly parts?: readonly Part<unknown>[];
  /** What is fetched beside these for some configurations. */
  partsFor?(config: Config): readonly Part<unknown>[];
  /** Its processes as a grid, and the devices that each drives. */
  mesh(config: Config): DeviceMesh;
  /** Layers (indices into the configuration) whose parameters live on each device. */
  layersOfDevice(config: Config): readonly (readonly number[])[];
  /** Which device holds which piece of each parameter and buffer of the model and its loss. */
  shards(config: Config, tensors: readonly TensorSpec[]): ShardMap;
  /** One row of what crosses each border between neighbours; absent: nothing does. */
  borders?(input: ModeInput): readonly StageOutput[];
  /** The rows that each device works on. `rows`: how many each process has. */
  rowsOfDevice(config: Config, rows: readonly number[]): readonly RowSlice[];
  /** Ranks that compute a loss, ascending: those of a pipeline's last stage. Absent: all. */
  lossRanks?(config: Config): readonly Rank[];
  /** What the processes do in these micro-batches; one without rows has run out of batches. */
  compile(input: ModeInput, kind: TrainingKind): Program;
  /** What runs once before step 0 (DDP's constructor), if anything. */
  construct?(input: ModeInput): Program | undefined;
  /** Gives the buffers that process 0 holds to all others: what a run runs that resumes by rank 0. */
  broadcastState?(input: ModeInput, buffers: readonly BufferSpec[]): Program | undefined;
  /**
   * The configuration with what the user has left open and the shapes of the data decide, as which layers make a
   * stage. Everything but mesh and check sees this one.
   */
  settle?(input: ModeInput): Config;
  /**
   * Into so many pieces each batch is cut, as torch.tensor_split cuts, all of them in one Program: a pipeline's
   * micro-batches. Absent: a batch is not cut.
   */
  pieces?(config: Config, rows: readonly number[]): number;
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

  /** Families of operators, loaded on demand, that its Programs need beside those of the model. */
  opFamilies?(config: Config): readonly (OpFamily | 'halves' | 'lowRank' | 'sharded')[];
  /** Writes the PyTorch script of a run; loaded when somebody asks for it. */
  readonly listing: Part<(config: Config, dialect?: Dialect) => readonly CodeLine[]>;
  /** Of the buckets that gradients are reduced in; absent: there are none. */
  buckets?(input: ModeInput, stage: StageGraph): BucketsInfo | undefined;
  /** How layers are cut; absent: none is. */
  plan?(input: ModeInput): PlanInfo | undefined;
  /** What ranks keep in shards; absent: each keeps what it has whole. */
  sharding?(input: ModeInput): ShardingInfo | undefined;
  /** What each device sends in one micro-batch. */
  closedForm(run: RunSizes, pass: FormPass): ClosedForm;
  /** What `construct` sends; absent: no closed form says it. */
  constructForm?(run: RunSizes): ClosedForm;

  /** Refuses settings that cannot go together in this mode. */
  check?(config: Config): void;
  /** The same once it is known how many batches each process has. */
  checkSchedule?(config: Config, schedule: BatchSchedule): void;
  /** Refuses to start from parameters that the processes have made. One entry where all have made the same. */
  checkStart?(parameters: readonly (readonly ParameterShape[])[]): void;
  /** What is legal but worth saying before a run starts. */
  notices?(input: NoticeInput): readonly Notice[];
  stop?(input: NoticeInput): ModeStop | undefined;

  /**
   * 'distributed': each data index has a sampler of its own (a DistributedSampler), be there only one;
   * 'distributedWhole': and dropLast leaves out a short last batch, too, not only rows of the sampler. Absent: one
   * loader for all.
   */
  sampler?(config: Config): 'distributed' | 'distributedWhole' | undefined;
  /** Settings of its sections that decide which rows come when: 'ddp.setEpoch'. */
  readonly settingsOfBatches?: readonly string[];
  /** When each process seeds its generator with a seed of its own; absent: they all draw alike. */
  rankSeeds?(config: Config): 'same' | 'beforeModel' | 'afterModel';
  /** Ranks that share a batch draw dropout masks each from its own generator; absent: one generator for them. */
  ranksDraw?(config: Config): boolean;
  /** Whether process 0 gives its running statistics to the others before they are used. */
  broadcastsBuffers?(config: Config): boolean;
  /** The model is wrapped: its state_dict() has `module.` before every name. */
  readonly wrapsModel?: true;
  /** The part that each device's loss has in the loss of the step; absent: the mean over the devices that have one. */
  lossShares?(config: Config, rows: readonly number[]): readonly number[] | undefined;
  /** What would fit where a Program of that kind needs more memory than a device has. */
  memoryAdvice?(input: ModeInput, kind: TrainingKind, budgetBytes: number): MemoryAdvice | undefined;
  /** For the report, of a mode whose ranks follow a schedule. */
  scheduleFigures?(config: Config): PipelineReport;
  /** For the report; absent: one process has no group. */
  processGroup?(config: Config): ModeProcessGroup;
  /** The same run with communication beside computation, and after it; absent: nothing overlaps. */
  withOverlap?(config: Config, overlap: boolean): Config;
}

/** What `listing` is called where it could not be loaded. */
export const SCRIPT = 'The PyTorch script';
