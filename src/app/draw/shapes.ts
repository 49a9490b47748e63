/**
 * The few shapes that stage and timeline are made of: rounded boxes, hairlines, bent lines with soft corners, arrow
 * heads.
 */
import { clamp, type Path, type Point, pointAlong, type Rect } from './geometry';

export interface BoxStyle {
  readonly fill?: string | CanvasPattern;
  readonly stroke?: string;
  readonly lineWidth?: number;
  readonly radius?: number;
  readonly dash?: readonly number[];
}

/** Draws the stroke inside the rectangle, so that a hairline falls on whole pixels. */
export function box(context: CanvasRenderingContext2D, rect: Rect, style: BoxStyle): void {
  const { fill, stroke, lineWidth = 1, radius = 0, dash } = style;
  const inset = stroke ? lineWidth / 2 : 0;
  const width = Math.max(0, rect.width - 2 * inset);
  const height = Math.max(0, rect.height - 2 * inset);
  context.beginPath();
  context.roundRect(
    rect.x + inset,
    rect.y + inset,
    width,
    height,
    clamp(radius - inset, 0, Math.min(width, height) / 2),
  );
  if (fill) {
    context.fillStyle = fill;
    context.fill();
  }
  if (stroke) {
    context.strokeStyle = stroke;
    context.lineWidth = lineWidth;
    context.setLineDash(dash ? [...dash] : []);
    context.stroke();
    context.setLineDash([]);
  }
}

export interface LineStyle {
  readonly colour: string;
  readonly width: number;
  readonly dash?: readonly number[];
  readonly alpha?: number;
  /** Radius of the bends. */
  readonly radius?: number;
}

export function line(context: CanvasRenderingContext2D, path: Path, style: LineStyle): void {
  const first = path[0];
  const last = path.at(-1);
  if (!first || !last || path.length < 2) return;
  context.save();
  context.globalAlpha *= style.alpha ?? 1;
  context.strokeStyle = style.colour;
  context.lineWidth = style.width;
  context.lineCap = style.dash ? 'butt' : 'round';
  context.setLineDash(style.dash ? [...style.dash] : []);
  context.beginPath();
  context.moveTo(first.x, first.y);
  for (let i = 1; i < path.length - 1; i++) {
    const corner = path[i];
    const next = path[i + 1];
    if (corner && next) context.arcTo(corner.x, corner.y, next.x, next.y, style.radius ?? 0);
  }
  context.lineTo(last.x, last.y);
  context.stroke();
  context.restore();
}

/** A small open arrow head on the path, pointing along it. */
export function arrowHead(
  context: CanvasRenderingContext2D,
  path: Path,
  fraction: number,
  size: number,
  colour: string,
): void {
  const { x, y, dx, dy } = pointAlong(path, fraction);
  const wing = (side: 1 | -1): Point => ({
    x: x - dx * size + dy * side * size * 0.6,
    y: y - dy * size - dx * side * size * 0.6,
  });
  line(context, [wing(1), { x, y }, wing(-1)], { colour, width: 1.5 });
}
