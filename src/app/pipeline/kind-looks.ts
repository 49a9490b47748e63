/**
 * The look of each kind of cell in a schedule: a colour and a direction of lines, so that cells can be distinguished
 * without colour. Read by the painter, and by the legend through its data-kind.
 */

import type { Computation } from '../../protocol/pipeline';
import { blend } from '../draw/blend';
import type { HatchStyle, Pattern } from '../draw/hatch';
import type { Palette } from '../draw/theme';

export interface KindLook {
  readonly fill: string;
  readonly edge: string;
  /** Undefined: plain. */
  readonly pattern: Pattern | undefined;
}

/** `chunk`: the index of the cell's stage among the rank's stages; later stages are darker. */
export function kindLook({ phase }: Palette, kind: Computation, chunk = 0): KindLook {
  const shaded = ({ fill, edge }: { readonly fill: string; readonly edge: string }) =>
    chunk === 0 ? { fill, edge } : { fill: blend(fill, edge, Math.min(0.6, SHADE * chunk)), edge };
  switch (kind) {
    case 'F':
      return { ...shaded(phase.forward), pattern: undefined };
    case 'B':
      return { ...shaded(phase.backward), pattern: 'rising' };
    case 'I':
      return { ...shaded(phase.backward), pattern: 'upright' };
    case 'W':
      return { ...shaded(phase.loss), pattern: 'level' };
  }
}

const SHADE = 0.24;

/** A hatching on which a number stays legible. */
export const hatchOf = ({ fill, edge, pattern }: KindLook): HatchStyle | undefined =>
  pattern && { pattern, ground: fill, ink: blend(fill, edge, 0.28), pitch: 6, width: 1.2 };

export const bubbleHatch = ({ track, line }: Palette): HatchStyle => ({
  pattern: 'falling',
  ground: track,
  ink: line,
  pitch: 7,
  width: 1.1,
});
