/**
 * Diagonal hatching, the second channel beside colour: communication that hides behind computation, and idle time. Patterns are made once per
 * colour and pixel ratio by a `Hatches` object that its owner keeps, never by the module.
 */
export interface HatchStyle {
  readonly ground: string;
  readonly ink: string;
  /** Distance between the strokes in CSS pixels. */
  readonly pitch?: number;
  readonly width?: number;
}

export type Hatches = (style: HatchStyle) => CanvasPattern | string;

export function createHatches(context: CanvasRenderingContext2D, pixelRatio: number): Hatches {
  const made = new Map<string, CanvasPattern | string>();
  return ({ ground, ink, pitch = 6, width = 1.4 }) => {
    const key = `${ground}|${ink}|${pitch}|${width}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const side = Math.max(2, Math.round(pitch * pixelRatio));
    const tile = new OffscreenCanvas(side, side);
    const pen = tile.getContext('2d');
    if (!pen) return ground;
    pen.fillStyle = ground;
    pen.fillRect(0, 0, side, side);
    pen.strokeStyle = ink;
    pen.lineWidth = width * pixelRatio;
    pen.beginPath();
    // One stroke through the tile and its continuation at two corners, so that tiles join without a seam.
    for (const shift of [-side, 0, side]) {
      pen.moveTo(shift - side / 2, side * 1.5);
      pen.lineTo(shift + side * 1.5, -side / 2);
    }
    pen.stroke();
    const pattern = context.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(1 / pixelRatio));
    made.set(key, pattern ?? ground);
    return pattern ?? ground;
  };
}
