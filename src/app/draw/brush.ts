/**
 * What every painter needs: the context, the palette and the width of texts. The page's first pictures are drawn with
 * it alone; ink.ts adds heat maps and patterns. use-surface.ts makes one per canvas, and a new one when the theme or
 * the pixel ratio changes.
 */
import type { Surface } from './surface';
import { createMeasure, type MeasureText } from './text';
import type { Palette } from './theme';

export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly measure: MeasureText;
  readonly pixelRatio: number;
}

export const createBrush = ({ context, pixelRatio }: Surface, palette: Palette): Brush => ({
  context,
  palette,
  pixelRatio,
  measure: createMeasure(context, palette),
});
