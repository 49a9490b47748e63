/**
 * A canvas that is painted when what it shows changes: sharp, in CSS pixels. For pictures of a snapshot; what moves per
 * frame uses `draw/use-surface`.
 */
import { type RefObject, useEffect } from 'react';
import type { Size } from '../../draw/geometry';
import { openSurface } from '../../draw/surface';

/** `paint` must keep its identity while it paints the same. */
export function usePainting(
  canvas: RefObject<HTMLCanvasElement | null>,
  { width, height }: Size,
  paint: (context: CanvasRenderingContext2D) => void,
): void {
  useEffect(() => {
    const ratio = Math.min(3, Math.max(1, devicePixelRatio));
    const surface = canvas.current && openSurface(canvas.current, { width, height }, ratio);
    if (surface) paint(surface.context);
  }, [canvas, width, height, paint]);
}
