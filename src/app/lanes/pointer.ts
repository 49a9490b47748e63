/** The position of a pointer in the listening element, and the distance after which a press becomes a drag. */
import type { PointerEvent } from 'react';
import type { Point } from '../draw/geometry';

export function pointIn({ currentTarget, clientX, clientY }: PointerEvent): Point {
  const { left, top } = currentTarget.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

const MOVED = 4;

export const hasMoved = (from: Point, to: Point): boolean => Math.hypot(to.x - from.x, to.y - from.y) > MOVED;
