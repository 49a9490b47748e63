/**
 * The order that one device guarantees among its own instructions: each queue runs its list in order, and a wait comes after
 * the instruction that signals its event. Nothing else: what no path connects may run at the same time.
 */
import type { Instruction } from './instruction';

/** before(i, j): instruction i of the list has certainly completed before j starts. */
export function happensBefore(instructions: readonly Instruction[]): (i: number, j: number) => boolean {
  // reach[j] is the set of indices that happen before j, one bit each.
  const reach: bigint[] = [];
  const lastOf = new Map<string, number>();
  const signaller = new Map<string, number>();
  instructions.forEach((instruction, j) => {
    let set = 0n;
    const after = (i: number | undefined) => {
      if (i !== undefined) set |= (reach[i] ?? 0n) | (1n << BigInt(i));
    };
    after(lastOf.get(instruction.queue));
    if (instruction.kind === 'wait') after(signaller.get(instruction.event));
    reach.push(set);
    lastOf.set(instruction.queue, j);
    if (instruction.signals) signaller.set(instruction.signals, j);
  });
  return (i, j) => ((reach[j] ?? 0n) & (1n << BigInt(i))) !== 0n;
}
