/**
 * The interface of the parallel modes. A mode is a folder here, and its `mode.ts` exports one ParallelMode: a compiler
 * (from model, loss, optimiser, mesh and batch it makes a Program; it runs nothing) and everything else that the rest
 * of the code needs to know about the mode. Code outside `parallel/` never compares a mode's name; it asks this object.
 * `modes.ts` is the table.
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

/** How a mode distinguishes steps of the optimiser by their number, apart from the very first. */
export interface StepPhases {
  /** All phases that may occur; 'usual' is one of them. */
  readonly names: readonly HookPhase[];
  /** The phase of step `step`, counted from 0. */
  at(step: number): HookPhase;
}

/** How processes that reduce gradients accumulate several backward passes (DDP's no_sync). */
export interface AccumulationPolicy {
  /** Number of reducing passes with the constructor's buckets; 0: the buckets are never rebuilt. */
  readonly passesBeforeRebuild: number;
  /** Every micro-batch is reduced, not only the last of a group. */
  readonly reducesEveryPass: boolean;
}

/** A random tensor that every device needs in a step. */
export interface Noise {
  readonly buffer: string;
  readonly data: Float32Array;
}

/** The rows of its process's batch that a device works on; count 0: none. */
export type RowSlice = readonly [start: number, count: number];

/** What a mode may read to make notices before a run starts. */
export interface NoticeInput {
  /** The configuration as requested, before `settle`. */
  readonly given: Config;
  readonly config: Config;
  readonly schedule: BatchSchedule;
  readonly input: ModeInput;
  /** The graph of a whole model on one device. */
  readonly stage: StageGraph;
  /** Rows of each process in a full batch. */
  readonly rows: readonly number[];
}

/** The parts of a parameter that ranks compare before a run starts. */
export interface ParameterShape {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Where a training script ends early. */
export interface ModeStop {
  /** The first micro-batch that cannot run. */
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
  /** Algorithm of the gradients' all-reduce; absent: no all-reduce. */
  readonly algorithm?: AlgorithmName;
}

export interface ParallelMode {
  /** What the page says about the mode, and the mode's name. */
  readonly face: Face;
  /** Parts loaded before a blueprint is made; all other members except mesh and check may need them. */
  readonly parts?: readonly Part<unknown>[];
  /** More parts that some configurations need. */
  partsFor?(config: Config): readonly Part<unknown>[];
  /** Its processes as a grid, and the devices that each drives. */
  mesh(config: Config): DeviceMesh;
  /** Layers (indices into the configuration) whose parameters live on each device. */
  layersOfDevice(config: Config): readonly (readonly number[])[];
  /** Which device holds which piece of each parameter and buffer of the model and its loss. */
  shards(config: Config, tensors: readonly TensorSpec[]): ShardMap;
  /** One row of the tensor that crosses each border between neighbours; absent: none does. */
  borders?(input: ModeInput): readonly StageOutput[];
  /** The rows that each device works on. `rows`: how many each process has. */
  rowsOfDevice(config: Config, rows: readonly number[]): readonly RowSlice[];
  /** Ranks that compute a loss, ascending: those of a pipeline's last stage. Absent: all. */
  lossRanks?(config: Config): readonly Rank[];
  /** The Program of these micro-batches; a process without rows has run out of batches. */
  compile(input: ModeInput, kind: TrainingKind): Program;
  /** What runs once before step 0 (DDP's constructor), if anything. */
  construct?(input: ModeInput): Program | undefined;
  /** The Program with which process 0 sends its buffers to all others, when only rank 0 read the checkpoint. */
  broadcastState?(input: ModeInput, buffers: readonly BufferSpec[]): Program | undefined;
  /**
   * Fills in what the user left open and the shapes of the data decide, such as which layers form a stage. All members
   * except mesh and check get this configuration.
   */
  settle?(input: ModeInput): Config;
  /**
   * The number of pieces into which torch.tensor_split cuts each batch, all in one Program: a pipeline's micro-batches.
   * Absent: a batch is not cut.
   */
  pieces?(config: Config, rows: readonly number[]): number;
  /** Absent: no pass reduces, and steps differ only in their micro-batches. */
  accumulationPolicy?(config: Config): AccumulationPolicy;
  /**
   * The random tensors for `load` instructions of source 'noise' in a step of the optimiser (from 0), the same on every
   * device; a function of the step alone.
   */
  noiseForStep?(input: ModeInput): (step: number) => readonly Noise[];
  /** How often the optimiser steps in a step of the run (asynchronous workers); absent: once. */
  optimizerStepsPerStep?(config: Config): number;
  /** For modes whose steps differ by their number, as with a communication hook that begins later. */
  stepPhases?(config: Config): StepPhases | undefined;

  /** Families of operators, loaded on demand, that its Programs need beside the model's. */
  opFamilies?(config: Config): readonly (OpFamily | 'halves' | 'lowRank' | 'sharded')[];
  /** Writes the PyTorch script of a run; loaded when somebody asks for it. */
  readonly listing: Part<(config: Config, dialect?: Dialect) => readonly CodeLine[]>;
  /** Describes the buckets that gradients are reduced in; absent: the mode has none. */
  buckets?(input: ModeInput, stage: StageGraph): BucketsInfo | undefined;
  /** How layers are cut; absent: the mode cuts none. */
  plan?(input: ModeInput): PlanInfo | undefined;
  /** What ranks keep in shards; absent: the mode has no shards. */
  sharding?(input: ModeInput): ShardingInfo | undefined;
  /** The bytes that each device sends in one micro-batch. */
  closedForm(run: RunSizes, pass: FormPass): ClosedForm;
  /** The bytes that `construct` sends; absent: no closed form for them. */
  constructForm?(run: RunSizes): ClosedForm;

  /** Refuses settings that cannot go together in this mode. */
  check?(config: Config): void;
  /** Further checks, once the number of batches of each process is known. */
  checkSchedule?(config: Config, schedule: BatchSchedule): void;
  /** Refuses to start if the processes' parameters do not match. One entry if all made the same. */
  checkStart?(parameters: readonly (readonly ParameterShape[])[]): void;
  /** What is allowed, but worth saying before a run starts. */
  notices?(input: NoticeInput): readonly Notice[];
  stop?(input: NoticeInput): ModeStop | undefined;

  /**
   * 'distributed': each data index has its own sampler (a DistributedSampler), even if there is only one.
   * 'distributedWhole': the same, and dropLast also leaves out a short last batch, not only rows of the sampler.
   * Absent: one loader for all.
   */
  sampler?(config: Config): 'distributed' | 'distributedWhole' | undefined;
  /** Settings of its sections that decide the order of rows: 'ddp.setEpoch'. */
  readonly settingsOfBatches?: readonly string[];
  /** When each process seeds its generator with its own seed; absent: all draw the same numbers. */
  rankSeeds?(config: Config): 'same' | 'beforeModel' | 'afterModel';
  /**
   * Whether each rank of those that share a batch draws dropout masks from its own generator; absent: one generator for
   * all.
   */
  ranksDraw?(config: Config): boolean;
  /** Whether process 0 sends its running statistics to the others before a forward pass. */
  broadcastsBuffers?(config: Config): boolean;
  /** The model is wrapped: its state_dict() has `module.` before every name. */
  readonly wrapsModel?: true;
  /** The weight of each device's loss in the loss of the step; absent: the mean over the devices with a loss. */
  lossShares?(config: Config, rows: readonly number[]): readonly number[] | undefined;
  /** Advice if a Program of that kind needs more memory than a device has. */
  memoryAdvice?(input: ModeInput, kind: TrainingKind, budgetBytes: number): MemoryAdvice | undefined;
  /** Figures for the report, if the ranks follow a schedule. */
  scheduleFigures?(config: Config): PipelineReport;
  /** The process group for the report; absent: one process has no group. */
  processGroup?(config: Config): ModeProcessGroup;
  /** The same configuration with or without overlap of communication and computation; absent: nothing overlaps. */
  withOverlap?(config: Config, overlap: boolean): Config;
}

/** The name of `listing` in the message that it could not be loaded. */
export const SCRIPT = 'The PyTorch script';
