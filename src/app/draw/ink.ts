/**
 * The tools of a painter: the context, the palette and objects made once per canvas and palette. Stage and timeline
 * each make an Ink and drop it when the theme or the pixel ratio changes.
 */

import { createHatches, type Hatches } from './hatch';
import { createHeat, type Heat } from './heat-map';
import type { Surface } from './surface';
import { createMeasure, type MeasureText } from './text';
import type { Palette } from './theme';

export interface Ink {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly measure: MeasureText;
  readonly heat: Heat;
  readonly hatch: Hatches;
  readonly pixelRatio: number;
}

export function createInk({ context, pixelRatio }: Surface, palette: Palette): Ink {
  return {
    context,
    palette,
    pixelRatio,
    measure: createMeasure(context, palette),
    heat: createHeat(palette),
    hatch: createHatches(context, pixelRatio),
  };
}
