/**
 * What an optimiser consists of besides its arguments (protocol/config/optimizer): its operators, the states of a
 * parameter, the numbers that its kernel reads in a step, and its counterpart in Keras. Each optimiser's file exports
 * one such row.
 */
import type { Attrs, OpDef } from '../graph/op';
import type { OptimizerConfig } from '../protocol/config';

export type OptimizerType = OptimizerConfig['type'];

/** The inputs of a step's scalars besides the settings. */
export interface OptimizerStep {
  readonly lr: number;
  /** Or beta1. */
  readonly momentum: number;
  /** 1, 2, ... */
  readonly t: number;
  /** The product of NAdam's mu over all steps, this one included; 1 for other optimisers. */
  readonly muProduct: number;
}

/** An argument of a Keras optimiser. `theirs`: Keras's default, if it is torch's as well; then it isn't printed. */
export type KerasArgument = readonly [name: string, value: number | boolean, theirs?: number | boolean];

/** What Keras has no counterpart of, and why. */
export interface KerasGap {
  readonly lacks: string;
  readonly because: string;
}

/** `hasMomentum`: the settings have a momentum, or a schedule sets one before the first step. */
export interface OptimizerRow<O extends OptimizerConfig = OptimizerConfig> {
  /** One name, or the names of two optimisers that share a file. */
  readonly types: readonly O['type'][];
  readonly ops: readonly OpDef[];
  /** Names of torch's `state_dict`, in operand order. */
  readonly states: (optimizer: O, hasMomentum: boolean) => readonly string[];
  /** Initial value of a state's elements. Absent: 0. */
  readonly fill?: (optimizer: O) => number;
  readonly op: (optimizer: O, hasMomentum: boolean) => readonly [name: string, attrs: Attrs];
  /** Numbers 2 and on of the kernel's `scalars` (scalars-layout.ts). */
  readonly scalars: (optimizer: O, step: OptimizerStep) => readonly number[];
  /** Keras's name, if it is not torch's. */
  readonly kerasName?: string;
  /** The arguments after the rate, in Keras's order. Absent: tf.keras.optimizers has no such optimiser. */
  readonly keras?: (optimizer: O) => readonly KerasArgument[] | KerasGap;
}

/** Each row takes the optimiser of its own type, which TypeScript does not follow through a table of all rows. */
export const optimizerRow = <const T extends OptimizerType>(
  row: OptimizerRow<Extract<OptimizerConfig, { type: T }>> & { readonly types: readonly T[] },
): OptimizerRow => row as unknown as OptimizerRow;

export const NO_ATTRS: Attrs = {};
export const MOMENTUM_BUFFER = 'momentum_buffer';

/** The decay factors of the averages of the gradient and its square, and one minus each. */
export const averages = ({ momentum }: OptimizerStep, { beta2 }: { readonly beta2: number }): readonly number[] => [
  momentum,
  1 - momentum,
  beta2,
  1 - beta2,
];

/** The arguments of Keras for the decay factors of both averages. */
export const kerasBetas = (o: { readonly beta1: number; readonly beta2: number }): readonly KerasArgument[] => [
  ['beta_1', o.beta1, 0.9],
  ['beta_2', o.beta2, 0.999],
];
