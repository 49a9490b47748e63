/**
 * The slots that the memory planner gives the buffers of a device, by comparing every use of every two buffers: slow,
 * and short enough to be read. Tests compare the two.
 */
import { happensBefore } from '../happens-before';
import type { Instruction, Lane, Program } from '../instruction';
import { readBuffers, writtenBuffers } from '../instruction-access';
import { alignedBytes } from '../memory-planner';

/** Names of the buffers in each slot, in the order in which they got there. */
export function shareSlotsPlainly(program: Program, { buffers, instructions }: Lane): readonly (readonly string[])[] {
  const order = happensBefore(program);
  const usesOf = (name: string): readonly Instruction[] =>
    instructions.filter((i) => [...readBuffers(i), ...writtenBuffers(i)].includes(name));
  const before = (a: string, b: string): boolean =>
    usesOf(a).every((i) => usesOf(b).every((j) => order.before(order.done(i), j) && order.before(i, j)));
  const slots: string[][] = [];
  const bySize = buffers
    .filter((b) => !b.persistent)
    .map((spec, i) => ({ name: spec.name, i, bytes: alignedBytes(spec) }))
    .sort((a, b) => b.bytes - a.bytes || a.i - b.i);
  for (const { name } of bySize) {
    const home = slots.find((slot) => slot.every((other) => before(other, name) || before(name, other)));
    if (home) home.push(name);
    else slots.push([name]);
  }
  return slots;
}
