/** How the steps of a mode follow each other, and the loss that each of them reports. */
import type { Config } from '../../protocol/config';
import type { HookPhase } from '../../protocol/step-kind';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import type { ModeInput } from '../mode-input';

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

/** A random tensor that devices need in a step. */
export interface Noise {
  readonly buffer: string;
  readonly data: Float32Array;
  /** Absent: all devices. */
  readonly devices?: readonly DeviceIndex[];
}

export interface ModeSteps {
  /** Absent: no pass reduces, and steps differ only in their micro-batches. */
  accumulation?(config: Config): AccumulationPolicy;
  /** For modes whose steps differ by their number, as with a communication hook that begins later. */
  phases?(config: Config): StepPhases | undefined;
  /**
   * The random tensors for `load` instructions of source 'noise' in a step of the optimiser (from 0); a function of the
   * step alone.
   */
  noise?(input: ModeInput): (step: number) => readonly Noise[];
  /**
   * How often the optimiser steps in a step of the run, whose batch has so many rows on each process (asynchronous
   * workers); absent: once.
   */
  optimizerSteps?(config: Config, rows: readonly number[]): number;
  /** Ranks that compute a loss, ascending: those of a pipeline's last stage. Absent: all. */
  lossRanks?(config: Config): readonly Rank[];
  /** The weight of each device's loss in the loss of the step; absent: the mean over the devices with a loss. */
  lossShares?(config: Config, rows: readonly number[]): readonly number[] | undefined;
}
