/**
 * Patterns, which carry meaning besides colour: stripes mark communication hidden behind computation, dots mark time in
 * which something waits (theme.css has the same for legends); a pipeline's schedule has lines of four directions
 * (pipeline/kind-looks.ts). Made once per colour and pixel ratio by a `Hatches` object that its owner keeps, never by
 * the module.
 */
export type Pattern = 'hidden' | 'waiting' | 'rising' | 'falling' | 'upright' | 'level';

export interface HatchStyle {
  readonly pattern: Pattern;
  readonly ground: string;
  readonly ink: string;
  /** Distance between the strokes, or the dots, in CSS pixels. */
  readonly pitch?: number;
  readonly width?: number;
}

export type Hatches = (style: HatchStyle) => CanvasPattern | string;

export function createHatches(context: CanvasRenderingContext2D, pixelRatio: number): Hatches {
  const made = new Map<string, CanvasPattern | string>();
  return ({ pattern: kind, ground, ink, pitch = 6, width = 1.4 }) => {
    const key = `${kind}|${ground}|${ink}|${pitch}|${width}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const side = Math.max(2, Math.round(pitch * pixelRatio));
    const tile = new OffscreenCanvas(side, side);
    const pen = tile.getContext('2d');
    if (!pen) return ground;
    pen.fillStyle = ground;
    pen.fillRect(0, 0, side, side);
    if (kind === 'waiting') dot(pen, side, ink, width * pixelRatio);
    else strokes(pen, linesOf(kind, side), ink, width * pixelRatio);
    const pattern = context.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(1 / pixelRatio));
    made.set(key, pattern ?? ground);
    return pattern ?? ground;
  };
}

type Line = readonly [fromX: number, fromY: number, toX: number, toY: number];

/** For a slanted stroke also its continuation at two corners, so that tiles join without a seam. */
export function linesOf(kind: Exclude<Pattern, 'waiting'>, side: number): readonly Line[] {
  const [half, more] = [side / 2, side * 1.5];
  if (kind === 'upright') return [[half, 0, half, side]];
  if (kind === 'level') return [[0, half, side, half]];
  const [from, to] = kind === 'falling' ? [-half, more] : [more, -half];
  return [-side, 0, side].map((x) => [x - half, from, x + more, to]);
}

function strokes(pen: OffscreenCanvasRenderingContext2D, lines: readonly Line[], ink: string, width: number): void {
  pen.strokeStyle = ink;
  pen.lineWidth = width;
  pen.beginPath();
  for (const [fromX, fromY, toX, toY] of lines) {
    pen.moveTo(fromX, fromY);
    pen.lineTo(toX, toY);
  }
  pen.stroke();
}

function dot(pen: OffscreenCanvasRenderingContext2D, side: number, ink: string, width: number): void {
  pen.fillStyle = ink;
  pen.beginPath();
  pen.arc(side / 2, side / 2, width / 2, 0, 2 * Math.PI);
  pen.fill();
}
