/** A canvas (use-surface.ts) for painters of values and patterns. */
import { type RefObject, useCallback, useState } from 'react';
import type { Brush } from './brush';
import type { Size } from './geometry';
import { type Ink, inkOf } from './ink';
import { type Painted, useSurface } from './use-surface';

export function useInk(canvas: RefObject<HTMLCanvasElement | null>, size: Size, draw: (ink: Ink) => void): Painted {
  // Bitmaps and patterns are kept as long as their brush.
  const [inks] = useState(() => new WeakMap<Brush, Ink>());
  const drawWith = useCallback(
    (brush: Brush) => {
      const ink = inks.get(brush) ?? inkOf(brush);
      inks.set(brush, ink);
      draw(ink);
    },
    [inks, draw],
  );
  return useSurface(canvas, size, drawWith);
}
