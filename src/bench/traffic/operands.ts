/** The shapes and bytes of the operands of computations in a Program. Used by count-step.ts. */
import { at, must } from '../../base/invariant';
import type { BufferSpec, Compute, Program } from '../../program/instruction';
import { readBuffers } from '../../program/instruction-access';
import type { Placed } from '../../program/ready-heads';
import { elements } from '../../tensor/shape';

const WORD_BYTES = 4;

function specOf(program: Program, device: number, name: string): BufferSpec {
  const lane = must(
    program.lanes.find((each) => each.device === device),
    'a lane',
  );
  return must(
    lane.buffers.find((buffer) => buffer.name === name),
    name,
  );
}

/** Whether the buffer is scratch: an output that lives only in this step and that no other instruction reads. */
function isScratch(program: Program, { device, instruction }: Placed<Compute>, name: string): boolean {
  if (specOf(program, device, name).persistent) return false;
  const lane = program.lanes.find((each) => each.device === device);
  return !lane?.instructions.some((other) => other !== instruction && readBuffers(other).includes(name));
}

/** The bytes of every operand and every result, each counted once. */
export function leastOf(program: Program, items: readonly Placed<Compute>[]): number {
  const bytes = (device: number, names: readonly string[]) =>
    [...new Set(names)].reduce((sum, name) => sum + WORD_BYTES * elements(specOf(program, device, name).shape), 0);
  return items.reduce((sum, item) => {
    const { inputs, outputs } = item.instruction;
    const results = outputs.filter((name) => !isScratch(program, item, name));
    return sum + bytes(item.device, inputs) + bytes(item.device, results);
  }, 0);
}

const MOST_SHAPES = 6;

/** The shapes of the inputs, an arrow, the shapes of the outputs; shortened if there are many operands. */
export function shapesOf(program: Program, { device, instruction }: Placed<Compute>): string {
  const write = (names: readonly string[]) => {
    const shapes = names.map((name) => specOf(program, device, name).shape.join('x') || '1');
    const more = shapes.length - MOST_SHAPES;
    return more > 0 ? `${at(shapes, 0)} and ${shapes.length - 1} others` : shapes.join(', ');
  };
  return `${write(instruction.inputs)} -> ${write(instruction.outputs)}`;
}
