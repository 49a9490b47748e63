/**
 * Doubles a Program of one device: the same instructions on cuda:0 (the reference) and on cuda:1 (the control), with
 * the same rows and no messages between them. Equal computations of two devices run as one dispatch, so the second
 * costs a GPU little.
 */
import { LockstepError } from '../../base/errors';
import type { Instruction, Program } from '../../program/instruction';

export const REFERENCE = 0;
export const CONTROL = 1;

export function pairProgram({ kind, mode, lanes }: Program): Program {
  const [lane, ...others] = lanes;
  if (!lane || others.length > 0)
    throw new LockstepError(
      'internal',
      `A pair is made from a Program of one device, not of ${lanes.length}.`,
      'Report this.',
    );
  const past = Math.max(0, ...lane.instructions.map(({ id }) => id + 1));
  const again = (instruction: Instruction): Instruction => ({ ...instruction, id: instruction.id + past });
  return {
    kind,
    mode,
    lanes: [
      { ...lane, device: REFERENCE, rank: 0 },
      { ...lane, device: CONTROL, rank: 0, instructions: lane.instructions.map(again) },
    ],
  };
}
