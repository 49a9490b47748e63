/**
 * What is drawn on the pad: strokes through points in parts of the pad, 0..1, x to the right and y down. `withPoint`
 * thins what a pointer sends. Pure; the pad keeps one and drawing-input.ts turns it into what the model reads.
 */
export type DrawnPoint = readonly [x: number, y: number];
export type DrawnStroke = readonly DrawnPoint[];
export type HandDrawing = readonly DrawnStroke[];

/** Nearer points than this say nothing. */
const LEAST_STEP = 0.008;

export const withStroke = (drawing: HandDrawing, point: DrawnPoint): HandDrawing => [...drawing, [point]];

/** Goes on with the last stroke; the same drawing where the point adds nothing. */
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
