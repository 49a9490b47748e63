/**
 * A drawing on the pad: strokes through points whose coordinates are shares of the pad, 0..1, x to the right and y
 * down. `withPoint` drops points that are too close. Pure; the pad keeps a drawing and drawing-input.ts turns it into
 * the model's input.
 */
export type DrawnPoint = readonly [x: number, y: number];
export type DrawnStroke = readonly DrawnPoint[];
export type HandDrawing = readonly DrawnStroke[];

/** Points closer than this are dropped. */
const LEAST_STEP = 0.008;

export const withStroke = (drawing: HandDrawing, point: DrawnPoint): HandDrawing => [...drawing, [point]];

/** Adds a point to the last stroke; returns the same drawing if the point is dropped. */
export function withPoint(drawing: HandDrawing, point: DrawnPoint): HandDrawing {
  const stroke = drawing.at(-1);
  const last = stroke?.at(-1);
  if (!stroke || !last) return withStroke(drawing, point);
  if (Math.hypot(point[0] - last[0], point[1] - last[1]) < LEAST_STEP) return drawing;
  return [...drawing.slice(0, -1), [...stroke, point]];
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Undefined for an empty drawing. */
export function boxOf(drawing: HandDrawing): Box | undefined {
  const points = drawing.flat();
  if (points.length === 0) return undefined;
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}
