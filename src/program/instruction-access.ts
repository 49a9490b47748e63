/**
 * The buffers that an instruction touches, and the stretches that it writes. Used by the planner, the linearizer and
 * the verifier.
 */
import type { Slice } from '../protocol/trace';
import type { Instruction } from './instruction';

export function readBuffers(instruction: Instruction): readonly string[] {
  switch (instruction.kind) {
    case 'compute':
      return instruction.inputs;
    case 'send':
      return [instruction.slice.buffer];
    case 'recv':
      return instruction.apply === 'put' ? [] : [instruction.slice.buffer];
    default:
      return [];
  }
}

export function writtenBuffers(instruction: Instruction): readonly string[] {
  switch (instruction.kind) {
    case 'compute':
      return instruction.outputs;
    case 'recv':
      return [instruction.slice.buffer];
    case 'load':
      return [instruction.buffer];
    default:
      return [];
  }
}

/** Buffers that the instruction reads or writes, without duplicates. */
export function accessedBuffers(instruction: Instruction): readonly string[] {
  switch (instruction.kind) {
    case 'compute':
      return [...new Set([...instruction.inputs, ...instruction.outputs])];
    case 'send':
    case 'recv':
      return [instruction.slice.buffer];
    case 'load':
      return [instruction.buffer];
    default:
      return [];
  }
}

/** Does the instruction write into the slice? */
export function writesInto(instruction: Instruction, slice: Slice): boolean {
  if (instruction.kind === 'recv') {
    const own = instruction.slice;
    return (
      own.buffer === slice.buffer && own.offset < slice.offset + slice.length && slice.offset < own.offset + own.length
    );
  }
  return writtenBuffers(instruction).includes(slice.buffer);
}
