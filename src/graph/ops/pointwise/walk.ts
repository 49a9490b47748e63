/**
 * Operands that the CPU loops of broadcast operators step through together: one position each, moved along a dimension
 * at a time. Called by binary.ts (and where.ts), which makes them once per call, so that no element allocates.
 */
import type { HostArray } from '../../../tensor/shape';
import type { Dim } from './broadcast';

/** Where a loop is in an operand, and its step along the innermost dimension. */
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

/** Moves the operands to the next index of that dimension. */
export function advance({ y, a, b }: Trio, { steps }: Dim): void {
  y.at += steps[0] as number;
  a.at += steps[1] as number;
  b.at += steps[2] as number;
}

/** Back to the first index, from behind the last. Subtracts: 0 + -size * 0 would be -0, and indices no integers. */
export function rewind({ y, a, b }: Trio, { size, steps }: Dim): void {
  y.at -= size * (steps[0] as number);
  a.at -= size * (steps[1] as number);
  b.at -= size * (steps[2] as number);
}
