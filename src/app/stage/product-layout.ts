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

/** Between the operands and their words, and between a line's middle and its signs' base (product-lines.ts). */
const WORDS_GAP = 4;
const SIGN_BASE = 5;
/** The most times that cells are higher than wide. */
const HIGHER = 1.8;

/** A line of matrices: its upper and lower edge, and by how much the lines above it have grown. */
interface Line {
  readonly top: number;
  readonly low: number;
  readonly down: number;
}

/** Makes the cells of all lines higher to fill the height, because the width limits them. */
function heightened(layout: ProductLayout, area: Rect): ProductLayout {
  const { parts, signs, words } = layout;
  const lines: Line[] = [];
  for (const { map } of parts.toSorted((a, b) => a.map.y - b.map.y)) {
    const last = lines.at(-1);
    if (last && map.y < last.low) lines[lines.length - 1] = { ...last, low: Math.max(last.low, bottom(map)) };
    else lines.push({ top: map.y, low: bottom(map), down: 0 });
  }
  const high = lines.reduce((sum, { top, low }) => sum + low - top, 0);
  const low = Math.max(...lines.map((line) => line.low), words ? bottom(words) : 0);
  const stretches = parts.every(({ window }) => !window.tiles && window.unit === 1);
  const by = stretches ? Math.min(HIGHER, 1 + (bottom(area) - low - 0.01) / high) : 1;
  if (by <= 1) return layout;
  let down = 0;
  const grown = lines.map((line): Line => {
    const own = { ...line, down };
    down += (by - 1) * (line.low - line.top);
    return own;
  });
  const moved = (y: number): number => {
    const line = grown.findLast(({ top }) => top <= y) ?? { top: y, down: 0 };
    return line.top + line.down + by * (y - line.top);
  };
  const stretch = <T extends Rect>(at: T): T => ({ ...at, y: moved(at.y), height: by * at.height });
  return {
    parts: parts.map((p) => {
      const map = stretch(p.map);
      return { ...p, map, bias: p.bias && stretch(p.bias), label: { ...p.label, y: map.y - (p.map.y - p.label.y) } };
    }),
    signs: signs.map((sign) => ({ ...sign, y: moved(sign.y - SIGN_BASE) + SIGN_BASE })),
    words: words && { ...words, y: moved(words.y - WORDS_GAP) + WORDS_GAP },
  };
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

export function layoutProduct(spec: ProductSpec, area: Rect): ProductLayout | undefined {
  const layout = layoutIn(spec, area);
  return centred(layout && heightened(layout, area), area);
}

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
