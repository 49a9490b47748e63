/**
 * Sets the matrices of a product in a line, in two lines or in a column, whichever fills the room most: operands and
 * result with cells of one size, or a large result with small operands beside or below it. Large matrices are cropped.
 * If not even small cells fit, operands are left out, starting with the first. Pure; called by room-content.ts.
 */
import { bottom, type Rect } from '../draw/geometry';
import { LABEL, type ProductLayout } from './product-blocks';
import { FULLER, inColumn, inOneLine, inTwoLines, led } from './product-lines';
import type { ProductSpec } from './product-spec';

/** The most pixels by which a layout is moved down towards the middle. */
const MOST_SHIFT = 60;

/** The number of pixels that the matrices cover. */
const covered = ({ parts }: ProductLayout): number => parts.reduce((sum, { map }) => sum + map.width * map.height, 0);

/**
 * The layout that fills the room most; earlier layouts are easier to read and win unless a later one is much fuller.
 */
function fullest(layouts: readonly (ProductLayout | undefined)[]): ProductLayout | undefined {
  let best: ProductLayout | undefined;
  for (const layout of layouts)
    if (layout && (!best || layout.parts.length > best.parts.length || covered(layout) > FULLER * covered(best)))
      best = layout;
  return best;
}

/** Centres the layout in the area, up to MOST_SHIFT. */
function centred(layout: ProductLayout | undefined, area: Rect): ProductLayout | undefined {
  if (!layout) return undefined;
  const low = Math.max(...layout.parts.map((p) => bottom(p.map)), layout.words ? bottom(layout.words) : 0);
  const by = Math.min(MOST_SHIFT, Math.max(0, (bottom(area) - low) / 2));
  const down = <T extends { readonly y: number }>(at: T): T => ({ ...at, y: at.y + by });
  return {
    parts: layout.parts.map((p) => ({ ...p, label: down(p.label), map: down(p.map), bias: p.bias && down(p.bias) })),
    signs: layout.signs.map(down),
    words: layout.words && down(layout.words),
  };
}

export const layoutProduct = (spec: ProductSpec, area: Rect): ProductLayout | undefined =>
  centred(layoutIn(spec, area), area);

function layoutIn(spec: ProductSpec, area: Rect): ProductLayout | undefined {
  const label = area.height >= 60 && area.width >= 90 ? LABEL : 0;
  if (spec.lead && spec.parts.length > 1) {
    const best = fullest([led(spec, area, label, false), led(spec, area, label, true)]);
    if (best) return best;
    const own: ProductSpec = { ...spec, parts: spec.parts.slice(0, 1), signs: [] };
    return inOneLine(own, area, label);
  }
  return fullest([inOneLine(spec, area, label), inTwoLines(spec, area, label), inColumn(spec, area, label)]);
}
