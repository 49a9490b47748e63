/**
 * The seam of DDP's communication hooks (register_comm_hook): what happens to a bucket between the last gradient that is copied in and the
 * averages that are copied out. The reducer packs, launches and waits; a hook emits what lies between, on the communication queue. `comm-hooks.ts` is
 * the table. Called by reducer.ts.
 */

import type { ProgramBuilder, Where } from '../../../program/builder';
import type { BufferSpec } from '../../../program/instruction';
import type { Config } from '../../../protocol/config';
import type { DeviceIndex } from '../../../protocol/trace';
import type { ParameterRef } from '../../stage-graph';

export interface BucketCall {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  readonly group: readonly DeviceIndex[];
  /** Flat float32 buffer of that name on every device. */
  readonly buffer: string;
  /** In elements. */
  readonly length: number;
  readonly parameters: readonly ParameterRef[];
  readonly index: number;
  readonly where: Where;
}

export interface CommHook {
  readonly name: Config['ddp']['commHook']['type'];
  /** What the reducer multiplies gradients by as it copies them in. */
  scale(worldSize: number): number;
  /** After it the bucket of every rank holds what goes back into `.grad`. */
  emit(call: BucketCall): void;
  /** Buffers that it keeps from step to step, on every device: error feedback, factors. Told for each bucket. */
  state?(call: Pick<BucketCall, 'config' | 'length' | 'parameters' | 'index'>): readonly BufferSpec[];
}
