/** Which of the palette's phase colours an event has. Pure; the stage and the timeline share it. */
import type { Phase } from '../../protocol/trace';
import type { PhaseColour } from './theme';

/** `computes`: the event is a kernel. A kernel that copies a reduced bucket back into .grad is not communication. */
export function phaseColour(phase: Phase, computes: boolean): PhaseColour {
  switch (phase) {
    case 'forward':
    case 'loss':
    case 'backward':
    case 'step':
      return phase;
    case 'reduce':
      return computes ? 'move' : 'comm';
    default:
      return 'move';
  }
}
