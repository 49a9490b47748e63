/** How large the views of a figure are, live and as pictures made at build, so that nothing jumps when it goes live. */
import type { FigureSpec } from './lesson';

/** Width of a figure that spans the page, inside its frame. */
export const FIGURE_WIDTH = 958;

/** Width of a figure on a phone, inside its frame; views have a different layout there. */
export const NARROW_WIDTH = 372;

export type FigureShape = 'wide' | 'narrow';

/** Height of the stage, in CSS pixels. */
export function stageHeight({ height }: Pick<FigureSpec, 'height'>, devices: number, shape: FigureShape): number {
  if (shape === 'narrow') return devices > 4 ? 560 : 400;
  if (height !== undefined) return height;
  if (devices === 1) return 300;
  return devices > 4 ? 620 : 460;
}

/** A plot has a picture for each shape, so that its texts have their size on a phone, too. */
export const PLOT: Readonly<Record<FigureShape, { readonly width: number; readonly height: number }>> = {
  wide: { width: 640, height: 300 },
  narrow: { width: 316, height: 270 },
};
