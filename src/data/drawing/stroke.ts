/**
 * Pen strokes into gray pixels: a smooth curve through points (Catmull-Rom; a corner where a point asks for one), drawn
 * as a round pen of varying radius would, with antialiased edges. Coordinates are pixels, the centre of pixel (0, 0) at
 * (0.5, 0.5). Called by the digits.
 */

export interface PenPoint {
  readonly x: number;
  readonly y: number;
  /** Radius of the pen at this point, in pixels. */
  readonly radius: number;
  /** The curve has a corner here. */
  readonly corner?: boolean;
}

const STEPS = 5;

/** Adds a stroke to an image of `size` x `size` values; where strokes overlap the darker ink stays. */
export function drawStroke(image: Float32Array, size: number, points: readonly PenPoint[]): void {
  let start = 0;
  for (let i = 1; i < points.length; i++) {
    if (i === points.length - 1 || points[i]?.corner === true) {
      drawCurve(image, size, points.slice(start, i + 1));
      start = i;
    }
  }
}

function drawCurve(image: Float32Array, size: number, points: readonly PenPoint[]): void {
  const last = points.length - 1;
  for (let i = 0; i < last; i++) {
    const p1 = points[i] as PenPoint;
    const p2 = points[i + 1] as PenPoint;
    const p0 = points[i - 1] ?? p1;
    const p3 = points[i + 2] ?? p2;
    const steps = last === 1 ? 1 : STEPS;
    let from = p1;
    for (let s = 1; s <= steps; s++) {
      const t = s / steps;
      const to = {
        x: catmullRom(p0.x, p1.x, p2.x, p3.x, t),
        y: catmullRom(p0.y, p1.y, p2.y, p3.y, t),
        radius: p1.radius + t * (p2.radius - p1.radius),
      };
      drawSegment(image, size, from, to);
      from = to;
    }
  }
}

function catmullRom(a: number, b: number, c: number, d: number, t: number): number {
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/** Every pixel near the segment takes the share of it that the pen covers. */
function drawSegment(image: Float32Array, size: number, a: PenPoint, b: PenPoint): void {
  const reach = Math.max(a.radius, b.radius) + 0.5;
  const left = Math.max(0, Math.floor(Math.min(a.x, b.x) - reach));
  const right = Math.min(size - 1, Math.floor(Math.max(a.x, b.x) + reach));
  const top = Math.max(0, Math.floor(Math.min(a.y, b.y) - reach));
  const bottom = Math.min(size - 1, Math.floor(Math.max(a.y, b.y) + reach));
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const squared = dx * dx + dy * dy;
  for (let row = top; row <= bottom; row++) {
    for (let column = left; column <= right; column++) {
      const px = column + 0.5 - a.x;
      const py = row + 0.5 - a.y;
      const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
      const distance = Math.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2);
      const ink = Math.min(1, a.radius + along * (b.radius - a.radius) - distance + 0.5);
      const pixel = row * size + column;
      if (ink > (image[pixel] as number)) image[pixel] = ink;
    }
  }
}
