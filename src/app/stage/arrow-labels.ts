/**
 * Where the labels of arrows are: in the middle of the longest piece of the arrow's road, or beside it where another
 * label or a room is there; an arrow for whose label there is no place has none. Pure; called by the scene.
 */
import { overlaps, type Path, pathLength, type Rect } from '../draw/geometry';
import type { ArrowLabel, ArrowScene } from './scene-types';

/** Above and below the baseline. */
const ASCENT = 9.5;
const DESCENT = 2.5;
/** Of the longest piece: how far from its middle a label may be. */
const SHIFTS = [0, -0.14, 0.14, -0.26, 0.26, -0.36, 0.36];

export const labelRect = ({ x, y, width }: ArrowLabel): Rect => ({
  x: x - width / 2,
  y: y - ASCENT,
  width,
  height: ASCENT + DESCENT,
});

function longestPiece(path: Path): { readonly dx: number; readonly dy: number } {
  let longest = { dx: 0, dy: 0 };
  let most = 0;
  for (let i = 1; i < path.length; i++) {
    const [a, b] = [path[i - 1], path[i]];
    const length = a && b ? pathLength([a, b]) : 0;
    if (a && b && length > most) [longest, most] = [{ dx: b.x - a.x, dy: b.y - a.y }, length];
  }
  return longest;
}

/** `taken`: what no label may be over. */
export function placeLabels(
  arrows: readonly ArrowScene[],
  taken: readonly Rect[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly ArrowScene[] {
  const placed: Rect[] = [];
  return arrows.map((arrow) => {
    const { label, path } = arrow;
    if (!label) return arrow;
    const { dx, dy } = longestPiece(path);
    for (const by of SHIFTS) {
      const own = { ...label, x: label.x + by * dx, y: label.y + by * dy };
      const rect = labelRect(own);
      const within = rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= width && rect.y + rect.height <= height;
      if (!within || placed.some((p) => overlaps(p, rect)) || taken.some((t) => overlaps(t, rect))) continue;
      placed.push(rect);
      return { ...arrow, label: own };
    }
    return { ...arrow, label: undefined };
  });
}
