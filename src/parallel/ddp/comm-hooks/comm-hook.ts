/**
 * The seam of DDP's communication hooks (register_comm_hook): what happens to a bucket after the last gradient was
 * copied in and before the averages are copied out. The reducer packs, launches and waits; a hook emits everything
 * between the copies, on the communication queue. `comm-hooks.ts` is the table. Called by reducer.ts.
 */

import type { ProgramBuilder } from '../../../program/builder';
import type { BufferSpec } from '../../../program/instruction';
import type { Where } from '../../../program/lane-builder';
import type { Config } from '../../../protocol/config';
import type { Group } from '../../../protocol/mesh';
import type { HookPhase } from '../../../protocol/step-kind';
import type { Shape } from '../../../tensor/shape';
import type { StepPhases } from '../../facets/mode-steps';
import type { ParameterRef } from '../../stage-graph';

export interface BucketCall {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  readonly group: Group;
  /** Name of the bucket's flat float32 buffer on every device of the group. */
  readonly buffer: string;
  /** In elements. */
  readonly length: number;
  readonly parameters: readonly ParameterRef[];
  readonly index: number;
  readonly where: Where;
  /** Phase of the step (CommHook.phases). */
  readonly phase: HookPhase;
}

/** After optimizer.step(), on the compute queues. */
export interface AfterStepCall {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  readonly group: Group;
  /** Names of all parameters, in registration order. */
  readonly parameters: readonly string[];
  /** Prefix of the hook's buffer names, if a device has several stages. */
  readonly prefix: string;
  readonly phase: HookPhase;
}

/**
 * Random numbers of one step, the same on every device. The host loads them with the step's data into the named buffer.
 */
export interface HookDraw {
  readonly buffer: string;
  readonly data: Float32Array<ArrayBuffer>;
}

export interface CommHook {
  readonly name: Config['ddp']['commHook']['type'];
  /** The factor by which the reducer multiplies gradients as it copies them in. */
  scale(worldSize: number, phase: HookPhase): number;
  /** Afterwards the bucket of every rank holds the values that the reducer copies back into `.grad`. */
  emit(call: BucketCall): void;
  /** Buffers that the hook keeps from step to step on every device, for each bucket: error feedback, factors. */
  state?(call: BucketCall): readonly BufferSpec[];
  /** The phases of a hook that does not do the same in every step. */
  phases?(config: Config): StepPhases;
  afterStep?(call: AfterStepCall): void;
  /**
   * The random numbers of the hook's `load` instructions, by step of the optimiser. `buckets` has the shapes of the
   * parameters of each bucket. Call it once per run: the returned function may keep generators.
   */
  draws?(config: Config, buckets: readonly (readonly Shape[])[]): (step: number) => readonly HookDraw[];
}
