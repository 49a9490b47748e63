/**
 * The seam of DDP's communication hooks (register_comm_hook): what happens to a bucket between the last gradient that
 * is copied in and the averages that are copied out. The reducer packs, launches and waits; a hook emits what lies
 * between, on the communication queue. `comm-hooks.ts` is the table. Called by reducer.ts.
 */

import type { ProgramBuilder } from '../../../program/builder';
import type { BufferSpec } from '../../../program/instruction';
import type { Where } from '../../../program/lane-builder';
import type { Config } from '../../../protocol/config';
import type { Group } from '../../../protocol/mesh';
import type { HookPhase } from '../../../protocol/step-kind';
import type { Shape } from '../../../tensor/shape';
import type { StepPhases } from '../../mode';
import type { ParameterRef } from '../../stage-graph';

export interface BucketCall {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  readonly group: Group;
  /** Flat float32 buffer of that name on every device of the group. */
  readonly buffer: string;
  /** In elements. */
  readonly length: number;
  readonly parameters: readonly ParameterRef[];
  readonly index: number;
  readonly where: Where;
  /** Of the step (CommHook.phases). */
  readonly phase: HookPhase;
}

/** After optimizer.step(), on the compute queues. */
export interface AfterStepCall {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  readonly group: Group;
  /** Names of all parameters, in registration order. */
  readonly parameters: readonly string[];
  /** Before the names of its buffers, where a device has several stages. */
  readonly prefix: string;
  readonly phase: HookPhase;
}

/**
 * Random numbers of one step, the same on every device: they come with the step's data into the buffer of that name.
 */
export interface HookDraw {
  readonly buffer: string;
  readonly data: Float32Array<ArrayBuffer>;
}

export interface CommHook {
  readonly name: Config['ddp']['commHook']['type'];
  /** What the reducer multiplies gradients by as it copies them in. */
  scale(worldSize: number, phase: HookPhase): number;
  /** After it the bucket of every rank holds what goes back into `.grad`. */
  emit(call: BucketCall): void;
  /** Buffers that it keeps from step to step, on every device: error feedback, factors. Given for each bucket. */
  state?(call: BucketCall): readonly BufferSpec[];
  /** Where it does not do the same in every step. */
  phases?(config: Config): StepPhases;
  afterStep?(call: AfterStepCall): void;
  /**
   * What its `load` instructions ask for, by step of the optimiser; `buckets` with the shapes of their parameters. For
   * one run: what it gives may keep generators.
   */
  draws?(config: Config, buckets: readonly (readonly Shape[])[]): (step: number) => readonly HookDraw[];
}
