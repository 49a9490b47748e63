/**
 * The test hook of Executor.corrupt as a dispatch: a one-element transfer that adds to the first element of what the
 * named recv wrote.
 */
import type { Program } from '../../program/instruction';
import { programKey } from '../../protocol/step-kind';
import type { DispatchSpec } from './dispatch';
import { wordAt } from './gpu-words';
import { ADD } from './join-code';
import type { MemoryLayout } from './memory-layout';
import { planTransfers } from './plan-transfer';

/**
 * `source`: the buffer (index) whose first element is added. Empty when no hosted lane of the program receives that
 * tag.
 */
export function planCorruption(
  program: Program,
  tag: string,
  source: number,
  layout: MemoryLayout,
): readonly DispatchSpec[] {
  for (const lane of program.lanes) {
    for (const instruction of lane.instructions) {
      if (instruction.kind !== 'recv' || instruction.tag !== tag || instruction.slice.length === 0) continue;
      const target = layout.find(programKey(program.kind), lane.device, instruction.slice.buffer);
      if (!target) continue;
      const to = wordAt(target, instruction.slice.offset);
      return planTransfers([{ source, from: 0, target: target.buffer, to, length: 1 }], ADD, layout);
    }
  }
  return [];
}
