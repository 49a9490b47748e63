/** Arrows over the pipeline picture, from an awaited or missing cell to the gap or cell that waits for it. Pure. */
import type { Complaint } from '../../schedules/complaint';
import type { PictureMarks } from './paint-picture';
import type { Picture } from './picture';
import type { PictureItem } from './picture-items';

/** An arrow from the cell that a gap waits for to the gap. */
export function arrowsOf(item: PictureItem, picture: Picture): PictureMarks['arrows'] {
  if (item.kind !== 'gap' || !item.gap.waitsFor) return [];
  const from = picture.cellOf(item.gap.waitsFor);
  return from ? [{ from, to: item.gap }] : [];
}

const MOST_ARROWS = 3;

/** Arrows from a needed cell to the first cells that run before it. */
export function missingArrows(complaints: readonly Complaint[], picture: Picture): PictureMarks['arrows'] {
  return complaints.slice(0, MOST_ARROWS).flatMap(({ rank, index, missing }) => {
    const to = picture.rows[rank]?.cells.find((cell) => cell.index === index);
    const from = missing && picture.cellOf(missing);
    return to && from ? [{ from, to }] : [];
  });
}
