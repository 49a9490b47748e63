/**
 * A canvas in CSS pixels at the screen's resolution, painted again when `paint` changes. For pictures of a snapshot;
 * moving pictures use `draw/use-surface`.
 */
import { type RefObject, useEffect } from 'react';
import type { Size } from '../../draw/geometry';
import { openSurface } from '../../draw/surface';

/** `paint` must be the same function as long as the picture is the same. */
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
