/**
 * A canvas that is sharp on every screen: its bitmap has the device's pixels, its context draws in CSS pixels. Called
 * by the stage and the timeline at the head of each draw; resizing a bitmap clears it, so it happens only when the size
 * has changed.
 */
import type { Size } from './geometry';

export interface Surface extends Size {
  readonly context: CanvasRenderingContext2D;
  readonly pixelRatio: number;
}

export function openSurface(canvas: HTMLCanvasElement, size: Size, pixelRatio: number): Surface | undefined {
  const context = canvas.getContext('2d');
  if (!context || size.width <= 0 || size.height <= 0) return undefined;
  const width = Math.round(size.width * pixelRatio);
  const height = Math.round(size.height * pixelRatio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.textBaseline = 'alphabetic';
  return { context, pixelRatio, width: size.width, height: size.height };
}
