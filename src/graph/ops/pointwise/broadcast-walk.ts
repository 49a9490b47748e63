/**
 * Operands that the CPU loops of broadcast operators step through together: each has one position, which moves along
 * one dimension at a time. binary.ts and where.ts make the operands once per call, so that elements allocate nothing.
 */
import type { HostArray } from '../../../tensor/shape';
import type { Dim } from './broadcast';

/** The position of a loop in an operand, and its step along the innermost dimension. */
export interface Walked {
  readonly data: HostArray;
  at: number;
  step: number;
}

export const walked = (data: HostArray): Walked => ({ data, at: 0, step: 0 });

/** Three operands in the order of a Dim's steps: the output (or its gradient) and two inputs. */
export interface Trio {
  readonly y: Walked;
  readonly a: Walked;
  readonly b: Walked;
}

/** Moves the operands to the next index of the dimension. */
export function advance({ y, a, b }: Trio, { steps }: Dim): void {
  y.at += steps[0] as number;
  a.at += steps[1] as number;
  b.at += steps[2] as number;
}

/**
 * Moves the operands from past the last index back to the first. It subtracts because 0 + -size * 0 would be -0, and
 * the engine would no longer treat indices as integers.
 */
export function rewind({ y, a, b }: Trio, { size, steps }: Dim): void {
  y.at -= size * (steps[0] as number);
  a.at -= size * (steps[1] as number);
  b.at -= size * (steps[2] as number);
}
