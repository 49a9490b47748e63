/**
 * Paints the pad: the strokes in ink, and the keyboard's pen while the pad has the focus; and, beside the pad, the
 * picture that the model reads.
 */
import type { Palette } from '../../draw/theme';
import type { HandDrawing } from './strokes';
import type { HandPen } from './use-drawing';

export interface PadPaint {
  readonly side: number;
  readonly drawing: HandDrawing;
  /** Undefined if the keyboard is not used. */
  readonly pen: HandPen | undefined;
  readonly palette: Palette;
}

const PEN_WIDTH = 0.075;

export function paintPad(context: CanvasRenderingContext2D, { side, drawing, pen, palette }: PadPaint): void {
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.lineWidth = PEN_WIDTH * side;
  context.strokeStyle = palette.ink;
  for (const stroke of drawing) {
    context.beginPath();
    for (const [i, [x, y]] of stroke.entries()) {
      if (i === 0) context.moveTo(x * side, y * side);
      context.lineTo(x * side, y * side);
    }
    context.stroke();
  }
  if (!pen) return;
  context.beginPath();
  context.arc(pen.at[0] * side, pen.at[1] * side, (PEN_WIDTH * side) / 2, 0, 2 * Math.PI);
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.fillStyle = palette.accent;
  context.stroke();
  if (pen.down) context.fill();
}
