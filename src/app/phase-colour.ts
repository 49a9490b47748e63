/** Which of the palette's phase colours an event has. Pure; the stage and the timeline share it. */
import type { Phase } from '../protocol/trace';
import type { PhaseColour } from './theme';

export function phaseColour(phase: Phase): PhaseColour {
  switch (phase) {
    case 'forward':
    case 'loss':
    case 'backward':
    case 'step':
      return phase;
    case 'reduce':
      return 'comm';
    default:
      return 'move';
  }
}
