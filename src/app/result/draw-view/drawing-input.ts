/**
 * Turns a drawing into the model's input, [channels, height, width] with values 0..1: scaled to the size of the data's
 * figures, centred, and drawn again with their pen width, so that thin and small drawings are read like thick and large
 * ones. All channels are equal.
 */
import type { ImageLook } from './image-look';
import { boxOf, type DrawnStroke, type HandDrawing } from './strokes';

type Shape = readonly [channels: number, height: number, width: number];

/** The most by which a drawing is enlarged, so that a dot does not fill the picture. */
const MOST_ENLARGED = 4;
/** The number of sample points per side of a pixel, which estimate the pixel's share inside a figure. */
const FINE = 3;

export function drawingInput(
  drawing: HandDrawing,
  [channels, height, width]: Shape,
  look: ImageLook,
): Float32Array<ArrayBuffer> {
  const plane = new Float32Array(height * width);
  const strokes = placed(drawing, height, width, look);
  const pen = look.filled ? 0.5 : look.pen;
  for (const stroke of strokes) drawStroke(plane, height, width, stroke, pen);
  if (look.filled) fill(plane, width, strokes);
  const input = new Float32Array(channels * plane.length);
  for (let c = 0; c < channels; c++) input.set(plane, c * plane.length);
  return input.map((ink) => ink * look.brightness);
}

/** The strokes in pixels. The edges of the ink, not the pen's centre, span the look's extent. */
function placed(drawing: HandDrawing, height: number, width: number, { extent, pen }: ImageLook): HandDrawing {
  const box = boxOf(drawing);
  if (!box) return [];
  const side = Math.min(height, width);
  const longer = Math.max(box.right - box.left, box.bottom - box.top);
  const wanted = Math.max(1, extent * side - 2 * pen);
  const scale = Math.min(wanted / Math.max(longer, 1e-6), MOST_ENLARGED * side);
  const [x0, y0] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return drawing.map((stroke) => stroke.map(([x, y]) => [width / 2 + (x - x0) * scale, height / 2 + (y - y0) * scale]));
}

/** The share of each pixel that a round pen covers; where strokes overlap the darker ink stays. */
function drawStroke(plane: Float32Array, height: number, width: number, stroke: DrawnStroke, pen: number): void {
  for (const [i, [bx, by]] of stroke.entries()) {
    const [ax, ay] = stroke[Math.max(0, i - 1)] ?? [bx, by];
    const [dx, dy] = [bx - ax, by - ay];
    const squared = dx * dx + dy * dy;
    const reach = pen + 1;
    const top = Math.max(0, Math.floor(Math.min(ay, by) - reach));
    const bottom = Math.min(height - 1, Math.ceil(Math.max(ay, by) + reach));
    const left = Math.max(0, Math.floor(Math.min(ax, bx) - reach));
    const right = Math.min(width - 1, Math.ceil(Math.max(ax, bx) + reach));
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        const [px, py] = [column + 0.5 - ax, row + 0.5 - ay];
        const along = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
        const ink = pen + 0.5 - Math.hypot(px - along * dx, py - along * dy);
        const pixel = row * width + column;
        plane[pixel] = Math.max(plane[pixel] as number, Math.min(1, Math.max(0, ink)));
      }
    }
  }
}

/**
 * Fills each stroke as a closed figure; a point inside two figures counts as outside, so that two circles make a ring.
 */
function fill(plane: Float32Array, width: number, strokes: HandDrawing): void {
  for (let pixel = 0; pixel < plane.length; pixel++) {
    const [row, column] = [Math.floor(pixel / width), pixel % width];
    let inside = 0;
    for (let k = 0; k < FINE * FINE; k++) {
      const x = column + ((k % FINE) + 0.5) / FINE;
      const y = row + (Math.floor(k / FINE) + 0.5) / FINE;
      if (strokes.filter((stroke) => encloses(stroke, x, y)).length % 2 === 1) inside++;
    }
    plane[pixel] = Math.max(plane[pixel] as number, inside / (FINE * FINE));
  }
}

function encloses(stroke: DrawnStroke, x: number, y: number): boolean {
  let inside = false;
  for (const [i, [bx, by]] of stroke.entries()) {
    const [ax, ay] = stroke.at(i - 1) ?? [bx, by];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  }
  return inside;
}
